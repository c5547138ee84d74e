-- Runs inside Neovim 0.7 to 0.12 and prints a line of JSON for each feature. ONNXLS_TEST names the file of inputs.
local h = dofile(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h') .. '/harness.lua')
local given, expected, fail, equal, wait, test = h.given, h.expected, h.fail, h.equal, h.wait, h.test
local onnxls, open, attached = h.onnxls, h.open, h.attached
local open_attached, go, character = h.open_attached, h.go, h.character
local diagnostics, rule_of, check_diagnostics = h.diagnostics, h.rule_of, h.check_diagnostics
local request, float_text, plain, patience_ms = h.request, h.float_text, h.plain, h.patience_ms

test('filetype', function()
  for name, filetype in pairs(expected.filetypes) do
    open(name)
    if filetype == '' then
      if vim.bo.filetype == 'torch-ir' then
        fail('%s was taken for a dump', name)
      end
    else
      equal(vim.bo.filetype, filetype, name)
      -- A line is a node: one that goes on below its number is hard to read.
      equal(vim.wo.wrap, false, name .. ': wrap')
    end
  end
end)

test('start', function()
  open_attached('llama.txt')
  open_attached('export.log')
  wait('one client for two files', function() return #onnxls.clients() == 1 end)
  equal(vim.loop.fs_realpath(onnxls.clients()[1].config.root_dir), vim.loop.fs_realpath(given.project), 'root')
end)

test('diagnostics', function()
  for name in pairs(expected.diagnostics) do
    check_diagnostics(name)
  end
end)

test('status', function()
  for name, words in pairs(expected.status) do
    open_attached(name)
    wait('the status of ' .. name, function()
      return (vim.b.onnxls_status or ''):find(words, 1, true)
    end)
  end
end)

test('hover', function()
  for _, want in ipairs(expected.hover) do
    open_attached(want.document)
    go(want.line, want.column)
    vim.lsp.buf.hover()
    local text
    wait('a hover window', function()
      text = float_text()
      return text
    end)
    for _, words in ipairs(want.has) do
      if not plain(text):find(words, 1, true) then
        fail('%s:%s: hover "%s" lacks "%s"', want.document, tostring(want.line), text, words)
      end
    end
  end
end)

test('definition', function()
  for _, want in ipairs(expected.definition) do
    open_attached(want.document)
    go(want.line, want.column)
    vim.lsp.buf.definition()
    local function place()
      local cursor = vim.api.nvim_win_get_cursor(0)
      return { line = cursor[1], column = character(cursor[1], cursor[2]) }
    end
    vim.wait(patience_ms, function() return vim.deep_equal(place(), want.to) end, 5)
    equal(place(), want.to, ('%s:%d'):format(want.document, want.line))
  end
end)

test('references', function()
  for _, want in ipairs(expected.references) do
    open_attached(want.document)
    go(want.line, want.column)
    vim.fn.setqflist({}, 'r')
    vim.lsp.buf.references()
    wait('references', function() return #vim.fn.getqflist() == #want.at end)
    local items = vim.fn.getqflist()
    vim.cmd('cclose')
    open(want.document)  -- The list counts bytes.
    local got = vim.tbl_map(function(item) return { item.lnum, character(item.lnum, item.col - 1) } end, items)
    equal(got, want.at, want.document)
  end
end)

test('symbols', function()
  local want = expected.symbols
  open_attached(want.document)
  vim.fn.setqflist({}, 'r')
  vim.fn.setloclist(0, {}, 'r')
  vim.lsp.buf.document_symbol()
  local function listed()
    local items = vim.fn.getqflist()
    return #items > 0 and items or vim.fn.getloclist(0)
  end
  wait('symbols', function() return #listed() > 0 end)
  local all = table.concat(vim.tbl_map(function(item) return item.text end, listed()), '\n')
  vim.cmd('cclose | lclose')
  for _, name in ipairs(want.names) do
    if not all:find(name, 1, true) then
      fail('the symbols "%s" lack "%s"', all, name)
    end
  end
end)

test('highlight', function()
  local want = expected.references[1]
  local bufnr = open_attached(want.document)
  go(want.line, want.column)
  vim.lsp.buf.document_highlight()
  local spaces = vim.api.nvim_get_namespaces()
  local space = spaces['vim_lsp_references'] or spaces['nvim.lsp.references']
  if not space then
    fail('no namespace of references')
  end
  wait('highlights', function() return #vim.api.nvim_buf_get_extmarks(bufnr, space, 0, -1, {}) >= #want.at end)
end)

test('semantic tokens', function()
  if not vim.lsp.semantic_tokens then
    return 'absent'
  end
  for _, want in ipairs(expected.tokens) do
    local bufnr = open_attached(want.document)
    local function type_there()
      local tokens = vim.lsp.semantic_tokens.get_at_pos(bufnr, want.line - 1, want.column - 1)
      return tokens and tokens[1] and tokens[1].type
    end
    vim.wait(patience_ms, function() return type_there() end, 5)
    equal(type_there(), want.type, ('%s:%d:%d'):format(want.document, want.line, want.column))
  end
end)

test('folding', function()
  if not vim.lsp.foldexpr then
    return 'absent'
  end
  open_attached('branches.torchir')
  vim.wo.foldmethod, vim.wo.foldexpr = 'expr', 'v:lua.vim.lsp.foldexpr()'
  wait('folds', function() return vim.fn.foldlevel(24) > vim.fn.foldlevel(5) end)
  vim.wo.foldmethod = 'manual'
end)

test('edit', function()
  local want = expected.edit
  local bufnr = open_attached(want.document)
  wait('no diagnostics before', function() return #vim.diagnostic.get(bufnr) == 0 end)
  local line = vim.fn.getline(want.line)
  local at = line:find(want.from, 1, true)
  vim.fn.setline(want.line, line:sub(1, at - 1) .. want.to .. line:sub(at + #want.from))
  local function found()
    for _, diagnostic in ipairs(vim.diagnostic.get(bufnr)) do
      if rule_of(diagnostic) == want.rule then
        return diagnostic
      end
    end
  end
  wait('a diagnostic after an edit', found)
  equal({ found().lnum + 1, found().col + 1 }, { want.line, want.column }, 'place')
  vim.cmd('edit!')
  wait('no diagnostics after undoing it', function() return not found() end)
end)

local function at_opset(value, count)
  local bufnr = open_attached(expected.opset.document)
  vim.cmd('OnnxlsSetOpset ' .. value)
  wait(count .. ' diagnostics', function() return #vim.diagnostic.get(bufnr) == count end)
end

test('settings', function()
  local before = #expected.diagnostics[expected.opset.document]
  at_opset(expected.opset.value, expected.opset.count)
  at_opset(expected.settings.opset, before)
  -- The file of settings, written in the editor: this one says opset 14, and the command is taken back.
  local file = given.project .. '/.onnxls.json'
  open_attached(expected.opset.document)
  vim.cmd('OnnxlsSetOpset')
  vim.cmd('split ' .. vim.fn.fnameescape(file))
  vim.fn.setline(1, vim.fn.split(vim.fn.json_encode(vim.tbl_extend('force', expected.settings, { opset = 14 })), '\n'))
  vim.cmd('write | bwipeout')
  local bufnr = open_attached(expected.opset.document)
  wait('diagnostics by .onnxls.json', function() return #vim.diagnostic.get(bufnr) == expected.opset.count end)
  at_opset(expected.settings.opset, before)
end)

-- What lists offer, and the choice of the one that has these words.
local function choosing(...)
  local wanted, seen, select = { ... }, {}, vim.ui.select
  vim.ui.select = function(items, options, on_choice)
    local words = table.remove(wanted, 1)
    for _, item in ipairs(items) do
      local line = options.format_item(item)
      table.insert(seen, line)
      if line:find(words, 1, true) == 1 then
        return on_choice(item)
      end
    end
    on_choice(nil)
  end
  return seen, function() vim.ui.select = select end
end

test('set target', function()
  local before = #expected.diagnostics[expected.opset.document]
  local bufnr = open_attached(expected.opset.document)
  wait('diagnostics', function() return #vim.diagnostic.get(bufnr) == before end)
  local seen, done = choosing('opset', tostring(expected.opset.value))
  vim.cmd('OnnxlsSetTarget')
  wait('the chosen opset', function() return #vim.diagnostic.get(bufnr) == expected.opset.count end)
  done()
  local all = table.concat(seen, '\n')
  for _, words in ipairs({ expected.opset.best, expected.opset.value .. ' -- ' .. expected.opset.difference }) do
    if not all:find(words, 1, true) then
      fail('the lists "%s" lack "%s"', all, words)
    end
  end
  vim.cmd('OnnxlsSetTarget opset project')
  at_opset(expected.settings.opset, before)
end)

test('commands', function()
  open_attached('llama.txt')
  local lines = onnxls.version()
  if not lines or not lines[1]:match('^onnxls %d') then
    fail('version says %s', lines)
  end
  vim.cmd('OnnxlsVersion')
  local id = attached(0).id
  vim.cmd('OnnxlsRestart')
  wait('a new client', function()
    local client = attached(0)
    return client and client.id ~= id
  end)
  check_diagnostics('llama.txt')
  vim.cmd('OnnxlsLog')
  vim.cmd('tabclose')
end)

test('checkhealth', function()
  open_attached('llama.txt')
  vim.cmd('checkhealth onnxls')
  local report = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  vim.cmd('tabclose')
  for _, words in ipairs({ 'facts: torch', 'client %d+, root' }) do
    if not report:find(words) then
      fail('the report lacks "%s": %s', words, report)
    end
  end
  if report:find('ERROR') or report:find('vim.empty_dict', 1, true) then
    fail('the report has an error: %s', report)
  end
end)

test('syntax', function()
  open('branches.torchir')
  vim.cmd('syntax on | setlocal syntax=torch-ir')
  local function group(line, column)
    return vim.fn.synIDattr(vim.fn.synID(line, column, 1), 'name')
  end
  equal(group(24, 11), 'onnxlsValue', 'a value')
  equal(group(24, 33), 'onnxlsOperator', 'an operator')
  equal(group(5, 8), 'onnxlsType', 'a type')
  equal(group(8, 5), 'onnxlsBlock', 'a block')
  equal(group(1, 1), 'onnxlsKeyword', 'graph')
  equal(group(9, 89), 'onnxlsAttribute', 'an attribute')
  equal(group(9, 94), 'onnxlsString', 'a string')
  equal(vim.bo.commentstring, '# %s', 'commentstring')
end)

test('parser', function()
  if not vim.treesitter.start then
    return 'absent'
  end
  if not require('onnxls.parser').find_compiler() then
    return 'absent'
  end
  vim.cmd('OnnxlsBuildParser ' .. vim.fn.fnameescape(given.grammar))
  vim.cmd('bwipeout!')
  local bufnr = open('branches.torchir')
  equal(vim.treesitter.highlighter.active[bufnr] ~= nil, true, 'a highlighter is active')
  vim.treesitter.get_parser(bufnr, 'torch_ir'):parse()
  local captures = vim.treesitter.get_captures_at_pos(bufnr, 23, 32)
  equal(captures[1] and captures[1].capture, 'function', 'capture at an operator')
  wait('a client', function() return attached(bufnr) end)
end)

dofile(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h') .. '/actions.lua')(h)

local function kill_server()
  local children = vim.api.nvim_get_proc_children(vim.fn.getpid())
  equal(#children, 1, 'number of child processes')
  vim.loop.kill(children[1], 'sigkill')
end

test('killed server', function()
  local bufnr = open_attached('llama.txt')
  local last = vim.fn.line('$')
  vim.fn.append(last - 1, '  %unsaved : Tensor = aten::relu(%nowhere)')
  local count = #expected.diagnostics['llama.txt'] + 1
  wait('a diagnostic of unsaved text', function() return #vim.diagnostic.get(bufnr) >= count end)
  local seen = #vim.diagnostic.get(bufnr)
  local id, start = attached(bufnr).id, vim.loop.hrtime()
  kill_server()
  wait('a new client', function()
    local client = attached(bufnr)
    return client and client.id ~= id
  end)
  wait('the diagnostics of the unsaved text again', function() return #vim.diagnostic.get(bufnr) == seen end)
  local ms = (vim.loop.hrtime() - start) / 1e6
  equal(vim.fn.getline(last), '  %unsaved : Tensor = aten::relu(%nowhere)', 'the unsaved line')
  equal(vim.bo.modified, true, 'modified')
  vim.cmd('edit!')
  return { ms = ms }
end)

test('killed too often', function()
  local bufnr = open_attached('llama.txt')
  vim.cmd('OnnxlsRestart')
  local said
  local notify = vim.notify
  vim.notify = function(text) said = text:match('once more.*OnnxlsRestart') or said end
  for _ = 1, 20 do
    if not said and vim.wait(patience_ms, function() return said or attached(bufnr) end, 5) and not said then
      local id = attached(bufnr).id
      kill_server()
      wait('its end', function() return not attached(bufnr) or attached(bufnr).id ~= id end)
    end
  end
  wait('what to do', function() return said end)
  vim.notify = notify
  equal(attached(bufnr), nil, 'the client')
  vim.cmd('OnnxlsRestart')
  check_diagnostics('llama.txt')
end)

test('missing server', function()
  for _, client in ipairs(onnxls.clients()) do
    vim.lsp.stop_client(client.id, true)  -- Neovim 0.10 may ask one that shuts down, and shows what it answers.
  end
  wait('no client', function() return #onnxls.clients() == 0 end)
  local said
  local notify = vim.notify_once
  vim.notify_once = function(text) said = text end
  onnxls.setup({ cmd = { 'no-such-onnxls' } })
  vim.cmd('edit')
  wait('a message', function() return said end)
  vim.notify_once = notify
  onnxls.setup({ cmd = { 'onnxls', 'serve', '--stdio' } })
  if not said:find('no-such-onnxls', 1, true) or not said:find('checkhealth') then
    fail('it says "%s"', said)
  end
  vim.cmd('edit')
  open_attached('llama.txt')
  if vim.v.errmsg:find('client has shut down after sending the message', 1, true) then
    vim.v.errmsg = ''  -- A question of the server was on its way when this test ended it.
  end
end)

local function large(feature, run)
  if given.large then
    test(feature, run)
  end
end

local opened
large('24 MB: diagnostics', function()
  opened = vim.loop.hrtime()
  vim.cmd('edit ' .. vim.fn.fnameescape(given.large))
  local bufnr = vim.api.nvim_get_current_buf()
  wait('diagnostics', function() return #vim.diagnostic.get(bufnr) > 0 end)
  return { ms = (vim.loop.hrtime() - opened) / 1e6 }
end)

large('24 MB: hover', function()
  vim.api.nvim_win_set_cursor(0, { math.floor(vim.fn.line('$') / 2), 4 })
  local start = vim.loop.hrtime()
  local answer = request('textDocument/hover')
  equal(type(answer) == 'table' and answer.contents ~= nil, true, 'a hover')
  return { ms = (vim.loop.hrtime() - start) / 1e6 }
end)

large('24 MB: edit', function()
  local bufnr = vim.api.nvim_get_current_buf()
  local count = #vim.diagnostic.get(bufnr)
  local start = vim.loop.hrtime()
  vim.fn.append(math.floor(vim.fn.line('$') / 2), '  %unsaved : Tensor = aten::relu(%nowhere)')
  wait('a diagnostic more', function() return #vim.diagnostic.get(bufnr) > count end)
  return { ms = (vim.loop.hrtime() - start) / 1e6 }
end)

test('no error messages', function()
  equal(h.error_messages(), {}, 'v:errmsg')
end)

vim.cmd('qall!')
