" Runs inside Vim with ALE and writes a line of JSON for each feature to the file that ONNXLS_RESULTS names. ONNXLS_TEST
" names the file of inputs.
let s:given = json_decode(join(readfile($ONNXLS_TEST)))
let s:expected = json_decode(join(readfile(s:given.expected)))
let s:results = []
" Seconds after which something hangs, however busy the machine is.
let s:patience = 300

function! s:wait(what, condition) abort
  let l:end = reltimefloat(reltime()) + s:patience
  while !a:condition()
    if reltimefloat(reltime()) > l:end
      throw 'waited in vain for ' . a:what
    endif
    sleep 10m
  endwhile
endfunction

function! s:equal(got, wanted, what) abort
  if a:got != a:wanted
    throw printf('%s: got %s, expected %s', a:what, string(a:got), string(a:wanted))
  endif
endfunction

function! s:test(feature, run) abort
  if stridx(a:feature, get(s:given, 'only', '')) < 0
    return
  endif
  let l:start = reltime()
  let l:result = #{feature: a:feature, result: 'passed'}
  try
    let l:ms = a:run()
    let l:result.ms = l:ms > 0 ? l:ms : reltimefloat(reltime(l:start)) * 1000
  catch
    call extend(l:result, #{result: 'failed', ms: 0, note: v:exception . ' at ' . v:throwpoint})
  endtry
  call add(s:results, json_encode(l:result))
endfunction

function! s:problems() abort
  return filter(copy(ale#engine#GetLoclist(bufnr(''))), 'v:val.linter_name is# "onnxls"')
endfunction

function! s:open(name) abort
  execute 'edit' fnameescape(s:given.project . '/' . a:name)
  if &filetype isnot# 'torch-ir'
    setfiletype torch-ir
    set filetype=torch-ir
  endif
endfunction

function! s:open_with_problems(name) abort
  call s:open(a:name)
  let l:count = len(s:expected.diagnostics[a:name])
  call ale#Queue(0)
  call s:wait(l:count . ' problems in ' . a:name, {-> len(s:problems()) == l:count})
endfunction

function! s:check_diagnostics(name) abort
  call s:open_with_problems(a:name)
  for [l:got, l:want] in map(s:problems(), {i, got -> [got, s:expected.diagnostics[a:name][i]]})
    call s:equal(l:got.lnum, l:want.line, 'line')
    " FIXME: ALE 3.3 counts UTF-16 units as bytes.
    if !has_key(l:want, 'utf16Column')
      call s:equal(strchars(strpart(getline(l:got.lnum), 0, l:got.col - 1)) + 1, l:want.column, 'column')
    endif
    call s:equal(l:got.code, l:want.rule, 'rule')
    call s:equal(stridx(l:got.text, l:want.has) >= 0, 1, l:got.text)
  endfor
endfunction

function! s:diagnostics() abort
  call s:check_diagnostics('llama.txt')
  call s:check_diagnostics('branches.torchir')
endfunction

function! s:go(want) abort
  call cursor(a:want.line, byteidx(getline(a:want.line), a:want.column - 1) + 1)
endfunction

" What is in the preview window.
function! s:preview() abort
  for l:window in range(1, winnr('$'))
    if getwinvar(l:window, '&previewwindow')
      return join(getbufline(winbufnr(l:window), 1, '$'), "\n")
    endif
  endfor
  return ''
endfunction

function! s:hover() abort
  let l:want = s:expected.hover[0]
  call s:open_with_problems(l:want.document)
  call s:go(l:want)
  ALEHover
  call s:wait('a hover', {-> s:preview() isnot# ''})
  let l:text = s:preview()
  pclose
  for l:words in l:want.has
    if stridx(l:text, l:words) < 0
      throw printf('"%s" lacks "%s"', l:text, l:words)
    endif
  endfor
endfunction

function! s:definition() abort
  let l:want = s:expected.definition[0]
  call s:open_with_problems(l:want.document)
  call s:go(l:want)
  ALEGoToDefinition
  call s:wait('a jump', {-> line('.') == l:want.to.line && col('.') == l:want.to.column})
endfunction

function! s:references() abort
  let l:want = s:expected.references[0]
  call s:open_with_problems(l:want.document)
  call s:go(l:want)
  ALEFindReferences -quickfix
  " ALE asks for the uses without the definition.
  call s:wait('references', {-> len(getqflist()) == len(l:want.at) - 1})
  cclose
  call s:equal(map(getqflist(), '[v:val.lnum, v:val.col]'), l:want.at[1:], 'places')
endfunction

function! s:has_rule(rule) abort
  return len(filter(s:problems(), 'v:val.code is# a:rule')) > 0
endfunction

function! s:edit() abort
  let l:want = s:expected.edit
  call s:open_with_problems(l:want.document)
  call setline(l:want.line, substitute(getline(l:want.line), '\V' . l:want.from, l:want.to, ''))
  call ale#Queue(0)
  call s:wait('a problem after an edit', {-> s:has_rule(l:want.rule)})
  edit!
  call ale#Queue(0)
  call s:wait('no problem after taking it back', {-> empty(s:problems())})
endfunction

function! s:syntax() abort
  call s:open('branches.torchir')
  syntax on
  set syntax=torch-ir
  call s:equal(synIDattr(synID(24, 33, 1), 'name'), 'onnxlsOperator', 'an operator')
  call s:equal(synIDattr(synID(24, 11, 1), 'name'), 'onnxlsValue', 'a value')
  syntax off
endfunction

function! s:server() abort
  return filter(job_info(), 'job_info(v:val).status is# "run" && string(job_info(v:val).cmd) =~# "onnxls"')
endfunction

function! s:killed() abort
  call s:open_with_problems('llama.txt')
  call append(line('$') - 1, '  %unsaved : Tensor = aten::relu(%nowhere)')
  call ale#Queue(0)
  call s:wait('a problem of unsaved text', {-> s:has_rule('undefined-value')})
  let l:seen = len(s:problems())
  let l:start = reltime()
  call job_stop(s:server()[0], 'kill')
  call s:wait('its end', {-> empty(s:server())})
  call ale#engine#SetResults(bufnr(''), [])
  call ale#Queue(0)
  call s:wait('a new server', {-> !empty(s:server())})
  call s:wait('the problems again', {-> len(s:problems()) == l:seen && s:has_rule('undefined-value')})
  let l:ms = reltimefloat(reltime(l:start)) * 1000
  edit!
  return l:ms
endfunction

function! s:large_diagnostics() abort
  let l:start = reltime()
  execute 'edit' fnameescape(s:given.large)
  call ale#Queue(0)
  call s:wait('problems', {-> !empty(s:problems())})
  return reltimefloat(reltime(l:start)) * 1000
endfunction

function! s:large_hover() abort
  call cursor(line('$') / 2, 5)
  let l:start = reltime()
  ALEHover
  call s:wait('a hover', {-> s:preview() isnot# ''})
  return reltimefloat(reltime(l:start)) * 1000
endfunction

function! s:large_edit() abort
  let l:count = len(s:problems())
  let l:start = reltime()
  call append(line('$') / 2, '  %unsaved : Tensor = aten::relu(%nowhere)')
  call ale#Queue(0)
  call s:wait('a problem more', {-> len(s:problems()) > l:count})
  return reltimefloat(reltime(l:start)) * 1000
endfunction

let g:ale_hover_to_preview = 1
let g:ale_lint_delay = 0
call s:test('diagnostics', function('s:diagnostics'))
call s:test('hover', function('s:hover'))
call s:test('definition', function('s:definition'))
call s:test('references', function('s:references'))
call s:test('edit', function('s:edit'))
call s:test('syntax', function('s:syntax'))
call s:test('killed server', function('s:killed'))
if has_key(s:given, 'large')
  call s:test('24 MB: diagnostics', function('s:large_diagnostics'))
  call s:test('24 MB: hover', function('s:large_hover'))
  call s:test('24 MB: edit', function('s:large_edit'))
endif
call writefile(s:results, $ONNXLS_RESULTS)
qall!
