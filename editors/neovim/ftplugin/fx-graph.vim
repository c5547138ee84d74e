if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal iskeyword+=%,.
setlocal comments=:# commentstring=#\ %s
setlocal nowrap
let b:undo_ftplugin = 'setlocal iskeyword< comments< commentstring< wrap<'
