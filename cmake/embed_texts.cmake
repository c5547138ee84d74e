# cmake -DOUTPUT=FILE.c -DNAME=symbol -DINPUTS=a.md,b.md -P embed_texts.cmake
# Text files as an array of EmbeddedText (server/cli/embedded.h), each named by its file without the ending.
string(REPLACE "," ";" inputs "${INPUTS}")
set(arrays "")
set(rows "")
set(count 0)
foreach(input ${inputs})
  get_filename_component(name ${input} NAME_WLE)
  # A string literal takes a compiler a tenth of the time of a list of bytes. In C11 "??=" is another way to write "#".
  file(READ ${input} text)
  string(REGEX REPLACE "[\\\"?]" "\\\\\\0" text "${text}")
  string(REPLACE "\n" "\\n\"\n\"" text "${text}")
  string(APPEND arrays "static const char text_${count}[] = \"${text}\";\n")
  string(APPEND rows "  { { \"${name}\", sizeof(\"${name}\") - 1 }, { text_${count}, sizeof(text_${count}) - 1 } },\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUTPUT} "#include \"cli/embedded.h\"\n${arrays}const EmbeddedText ${NAME}[] = {\n${rows}};\n"
  "const size_t ${NAME}_count = ${count};\n")
