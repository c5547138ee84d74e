# awk -f emacs_autoloads.awk FILE.el ...: what package.el would make of the autoload cookies, for packages that nobody
# installs with package.el. A cookie comes before a form on its own line, a (progn ...), or a definition.
function file_name(path) {
  sub(/.*\//, "", path)
  sub(/\.el$/, "", path)
  return path
}
BEGIN {
  print ";;; onnxls-autoloads.el --- What loads when  -*- lexical-binding: t; no-byte-compile: t; -*-\n"
  print ";;; Code:\n"
  print "(add-to-list 'load-path (directory-file-name (file-name-directory load-file-name)))\n"
}
function flush_definition() {
  if (name != "")
    printf "(autoload '%s \"%s\" nil %s)\n", name, file_name(file), is_command
  name = ""
}
FNR == 1 { flush_definition(); in_form = 0; is_next = 0; file = FILENAME }
in_form {
  print
  if ($0 ~ /^ .*\)$/ && depth($0) <= 0)
    in_form = 0
  next
}
/^;;;###autoload \(/ { flush_definition(); print substr($0, length(";;;###autoload ") + 1); next }
/^;;;###autoload$/ { flush_definition(); is_next = 1; next }
is_next {
  is_next = 0
  if ($1 == "(progn") {
    balance = 0
    in_form = 1
    depth($0)
    print
    next
  }
  name = $2
  is_command = $1 ~ /-mode$/ ? "t" : "nil"
  next
}
/^\(/ { flush_definition() }
/^ *\(interactive/ { if (name != "") is_command = "t" }
END {
  flush_definition()
  print "\n(provide 'onnxls-autoloads)\n;;; onnxls-autoloads.el ends here"
}
# How many parentheses are open after this line; characters such as ?( are not in our cookies' forms.
function depth(line) {
  gsub(/"([^"\\]|\\.)*"/, "", line)
  balance += gsub(/\(/, "", line) - gsub(/\)/, "", line)
  return balance
}
