# Completion of onnxls for bash. Commands and flags are read out of its own --help, so they are those of the program.
_onnxls() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} program=${COMP_WORDS[0]} candidates
  if [ "$COMP_CWORD" -eq 1 ] || { [ "$COMP_CWORD" -eq 2 ] && [ "$before" = help ]; }; then
    candidates=$("$program" --help 2>/dev/null | sed -n '/^  [a-z][a-z]*  /s/^  \([a-z]*\) .*/\1/p')
  elif [ "$COMP_CWORD" -eq 2 ] && [ "${COMP_WORDS[1]}" = db ]; then
    candidates='list diff import'
  else
    case $before in
    --exporter) candidates='torchscript dynamo' ;;
    --severity) candidates='error warning info hint' ;;
    --color) candidates='auto always never' ;;
    --format)
      candidates=$("$program" help "${COMP_WORDS[1]}" 2>/dev/null |
        sed -n '/--format FORMAT/s/.*FORMAT  *//; s/list, diff: //; /^text/s/,\| or / /gp') ;;
    *)
      case $word in
      -*)
        candidates=$("$program" help "${COMP_WORDS[1]}" 2>/dev/null |
          sed -n 's/^ *\(-[a-z], \)\{0,1\}\(--[A-Za-z-]*\).*/\2/p') ;;
      esac ;;
    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$candidates" -- "$word")
}
complete -o bashdefault -o default -F _onnxls onnxls
