# awk -f together.awk FILE.h ... FILE.c ...: which files are compiled as one, as CMake commands. Starting the compiler and
# reading headers takes longer than most of our files. Files of one folder of server/ or symbolics-db/ go together, up to a
# number of lines, as long as no name that one gives at its top level (a static function, a type, an enumerator, a macro) is
# given by another. What gives itself a name that a header gives to something else stays alone.
BEGIN { LINES = 6000 }
FNR == 1 { flush_file(); path = FILENAME; folder = path; sub(/.*\/(server|symbolics-db)\//, "", folder); sub(/\/.*/, "", folder) }
{ lines++ }
/^(MUST_USE )?static / || (path ~ /\.h$/ && /^[A-Za-z][^={]*\(/) { name = $0; sub(/ *[(=;[].*/, "", name); give(name) }
/^#define / { name = $2; sub(/\(.*/, "", name); give(name) }
/^} *[A-Za-z_]+;/ { name = $0; sub(/;.*/, "", name); give(name) }
/^(typedef )?(struct|enum|union) [A-Za-z_]+ *\{/ { name = $0; sub(/ *\{.*/, "", name); give(name) }
/^typedef .*\(\*[A-Za-z_]+\)/ { name = $0; sub(/\).*/, "", name); give(name) }
/^(typedef )?enum .*\{.*\}/ || /^  [A-Z][A-Z0-9_]*( =.*)?,/ {
  rest = $0
  sub(/.*\{/, "", rest)
  while (match(rest, /[A-Z][A-Z0-9_]+/)) {
    give(substr(rest, RSTART, RLENGTH))
    rest = substr(rest, RSTART + RLENGTH)
  }
}
END { flush_file() }

# The last word of `text`.
function give(text) {
  sub(/.*[^A-Za-z0-9_]/, "", text)
  if (text != "")
    names[text]
}
function flush_file(   group, name) {
  if (path ~ /\.h$/)
    for (name in names)
      in_header[name]
  else if (path != "") {
    for (group = 1; !fits(folder "_" group); group++)
      ;
    group = folder "_" group
    size[group] += lines
    for (name in names) {
      given[group, name]
      if (name in in_header)
        size[group] = LINES
    }
    printf "set_source_files_properties(%s PROPERTIES UNITY_GROUP %s)\n", path, group
  }
  delete names
  lines = 0
}
function fits(group,   name) {
  if (!(group in size))
    return 1
  if (size[group] + lines > LINES)
    return 0
  for (name in names)
    if (name in in_header || (group, name) in given)
      return 0
  return 1
}
