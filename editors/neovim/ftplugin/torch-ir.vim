if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

" A name such as %x.1 and an operator such as aten::add are one word each.
setlocal iskeyword+=%,.,:
setlocal comments=:# commentstring=#\ %s
setlocal nowrap
let b:undo_ftplugin = 'setlocal iskeyword< comments< commentstring< wrap<'
