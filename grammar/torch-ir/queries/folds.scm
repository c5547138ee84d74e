; The grammar ends every node at its line's end, so a graph or block is not a node that could fold.
; What is left are runs of lines of one kind; graphs and blocks are folded by the language server.
(text_line)+ @fold
(parameter_line)+ @fold
