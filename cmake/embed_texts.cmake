# cmake -DOUTPUT=FILE.c -DNAME=symbol -DINPUTS=a.md,b.md -P embed_texts.cmake
# Text files as an array of EmbeddedText (server/cli/embedded.h), each named by its file without the ending.
string(REPLACE "," ";" inputs "${INPUTS}")
set(arrays "")
set(rows "")
set(count 0)
foreach(input ${inputs})
  get_filename_component(name ${input} NAME_WLE)
  file(READ ${input} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND arrays "static const unsigned char text_${count}[] = {${bytes}};\n")
  string(APPEND rows "  { { \"${name}\", sizeof(\"${name}\") - 1 }, { (const char *)text_${count}, sizeof(text_${count}) } },\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUTPUT} "#include \"cli/embedded.h\"\n${arrays}const EmbeddedText ${NAME}[] = {\n${rows}};\n"
  "const size_t ${NAME}_count = ${count};\n")
