# awk -f help_tags.awk DOC.txt | LC_ALL=C sort: the tags of a help file of Vim and Neovim, as :helptags writes them.
{
  count = split(FILENAME, folders, "/")
  line = $0
  while (match(line, /\*[^* \t|]+\*/)) {
    before = RSTART == 1 ? " " : substr(line, RSTART - 1, 1)
    tag = substr(line, RSTART + 1, RLENGTH - 2)
    if (before ~ /[ \t]/)
      printf "%s\t%s\t/*%s*\n", tag, folders[count], tag
    line = substr(line, RSTART + RLENGTH)
  }
}
