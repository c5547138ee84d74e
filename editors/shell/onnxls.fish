# Completion of onnxls for fish. Commands and flags are read out of its own --help, so they are those of the program.
function __onnxls_commands
    onnxls --help 2>/dev/null | sed -n '/^  [a-z][a-z]*  /s/^  \([a-z]*\)  */\1\t/p'
end

function __onnxls_flags
    set -l words (commandline -opc)
    onnxls help $words[2] 2>/dev/null | sed -n 's/^ *\(-[a-z], \)\{0,1\}\(--[A-Za-z-]*\)[A-Z ]*  \(.*\)/\2\t\3/p'
end

complete -c onnxls -n __fish_use_subcommand -f -a '(__onnxls_commands)'
complete -c onnxls -n '__fish_seen_subcommand_from help' -f -a '(__onnxls_commands)'
complete -c onnxls -n '__fish_seen_subcommand_from db' -f -a 'list diff import'
complete -c onnxls -n 'not __fish_use_subcommand; and string match -q -- "-*" (commandline -ct)' -f -a '(__onnxls_flags)'
