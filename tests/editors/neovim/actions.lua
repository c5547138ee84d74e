-- Code actions and inlay hints, and Python beside another server; test.lua runs this.
return function(h)
  local given, expected, fail, equal, wait, test = h.given, h.expected, h.fail, h.equal, h.wait, h.test
  local onnxls, open, attached = h.onnxls, h.open, h.attached
  local open_attached, go, severities = h.open_attached, h.go, h.severities
  local diagnostics, rule_of, request = h.diagnostics, h.rule_of, h.request
  local float_text, plain, patience_ms = h.float_text, h.plain, h.patience_ms

  test('inlay hints', function()
    if not vim.lsp.inlay_hint then
      return 'absent'
    end
    local want = expected.inlay
    local bufnr = open_attached(want.document)
    vim.lsp.inlay_hint.enable(true, { bufnr = bufnr })
    local function labels()
      local found = vim.tbl_map(function(item)
        local label = item.inlay_hint.label
        local parts = type(label) == 'table' and vim.tbl_map(function(part) return part.value end, label) or { label }
        return item.inlay_hint.position.line == want.line - 1 and table.concat(parts) or ''
      end, vim.lsp.inlay_hint.get({ bufnr = bufnr }))
      return table.concat(found, ' ')
    end
    wait('inlay hints', function() return labels():find('%S') end)
    for _, words in ipairs(want.has) do
      if not labels():find(words, 1, true) then
        fail('"%s" lacks "%s"', labels(), words)
      end
    end
    vim.lsp.inlay_hint.enable(false, { bufnr = bufnr })
  end)

  -- Runs vim.lsp.buf.code_action() and chooses the action with this title, or the first that begins so.
  local function choose_action(title)
    local select, offered, chosen = vim.ui.select, {}, false
    vim.ui.select = function(items, options, choose)
      for index, item in ipairs(items) do
        local text = options.format_item and options.format_item(item) or tostring(item)
        table.insert(offered, text)
        if not chosen and vim.startswith(text, title) then
          chosen = true
          vim.schedule(function() choose(item, index) end)
        end
      end
    end
    vim.lsp.buf.code_action()
    vim.wait(patience_ms, function() return chosen end, 5)
    vim.ui.select = select
    if not chosen then
      fail('"%s" is not among the actions %s', title, offered)
    end
  end

  test('stub', function()
    local want = expected.stub
    local bufnr = open_attached(want.document)
    go(want.line, want.column)
    local function made()
      for _, path in ipairs(vim.fn.glob(given.project .. '/symbolic_*.py', true, true)) do
        return path
      end
      for _, other in ipairs(vim.api.nvim_list_bufs()) do
        if other ~= bufnr and vim.api.nvim_buf_get_name(other):find('symbolic_[%w_]+%.py$') then
          return vim.api.nvim_buf_get_name(other)
        end
      end
    end
    choose_action(want.title)
    local text
    wait('the new file', function()
      local path = made()
      if path then
        vim.fn.bufload(vim.fn.bufadd(path))
        text = table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr(path), 0, -1, false), '\n')
      end
      return text and #text > 0
    end)
    for _, words in ipairs(want.has) do
      if not text:find(words, 1, true) then
        fail('"%s" lacks "%s"', text, words)
      end
    end
    -- The server asks for it to be shown last: until then it would come into the window of the next test.
    if vim.lsp.handlers['window/showDocument'] then
      wait('the new file in the window', function() return vim.api.nvim_buf_get_name(0) == made() end)
    end
    vim.cmd('bwipeout! ' .. vim.fn.fnameescape(made()))
    vim.fn.delete(made() or '')
  end)

  local python = expected.python

  -- No browser is opened: a program of ours is told the page's path.
  test('picture', function()
    local bufnr = open_attached('activations.torchir')
    local shown
    local jobstart = vim.fn.jobstart
    vim.g.onnxls_browser = 'browser'
    vim.fn.jobstart = function(command) shown = command end
    vim.api.nvim_win_set_cursor(0, { 3, 0 })
    vim.cmd('OnnxlsGraph')
    vim.fn.jobstart, vim.g.onnxls_browser = jobstart, nil
    equal(shown and shown[1], 'browser', 'the browser')
    local page = table.concat(vim.fn.readfile(shown[2]), '\n')
    equal(page:find('"line":2,', 1, true) ~= nil, true, 'the line of the cursor')
    vim.fn.delete(shown[2])
    equal(vim.bo[bufnr].modified, false, 'modified')
  end)

  test('operators of a folder', function()
    local folder = vim.fn.tempname()
    vim.fn.mkdir(folder .. '/below', 'p')
    vim.fn.writefile({ 'graph(%x : Float(2)):', '  %1 : Float(2) = aten::lgamma(%x)', '  %2 : Float(2) = aten::relu(%1)', '  return (%2)' },
      folder .. '/below/a.torchir')
    vim.cmd('OnnxlsOps ' .. vim.fn.fnameescape(folder))
    local entries = vim.fn.getqflist()
    equal(#entries, 1, 'entries')
    equal({ entries[1].lnum, entries[1].type }, { 2, 'E' }, 'the unsupported node')
    equal(entries[1].text:find('aten::lgamma', 1, true), 1, 'its operator')
    equal(vim.fn.fnamemodify(vim.fn.bufname(entries[1].bufnr), ':t'), 'a.torchir', 'its file')
    vim.cmd('OnnxlsOps! ' .. vim.fn.fnameescape(folder))
    equal(#vim.fn.getqflist(), 2, 'entries of all operators')
    vim.cmd('cclose')
    vim.fn.setqflist({})
    vim.fn.delete(folder, 'rf')
  end)

  test('Python: diagnostics', function()
    local bufnr, want = open_attached(python.document), python.diagnostic
    wait('a diagnostic', function() return #vim.diagnostic.get(bufnr) == 1 end)
    local got = diagnostics(bufnr)[1]
    equal({ got.lnum + 1, got.col + 1 }, { want.line, want.column }, 'place')
    equal(severities[got.severity], want.severity, 'severity')
    equal(rule_of(got), want.rule, 'rule')
  end)

  -- What stands at the end of the first line that has the text of a diagnostic.
  local function text_at_end(bufnr)
    for _, namespace in pairs(vim.diagnostic.get_namespaces()) do
      local shown = namespace.user_data.virt_text_ns
      local marks = shown and vim.api.nvim_buf_get_extmarks(bufnr, shown, 0, -1, { details = true }) or {}
      for _, mark in ipairs(marks) do
        local chunks = mark[4].virt_text
        return chunks[#chunks][1]
      end
    end
  end

  test('Python: worst of a line', function()
    vim.diagnostic.config({ virtual_text = true })
    local bufnr = open_attached('two_of_a_line.py')
    local text
    wait('two diagnostics', function()
      text = text_at_end(bufnr)
      return #vim.diagnostic.get(bufnr) == 2 and text
    end)
    if not text:find('passes 5 arguments', 1, true) then
      fail('the line says "%s", which hides the error', text)
    end
  end)

  test('Python: hover, completion, definition', function()
    open_attached(python.document)
    go(python.hover.line, python.hover.column)
    vim.lsp.buf.hover()
    local text
    wait('a hover window', function()
      text = float_text()
      return text
    end)
    for _, words in ipairs(python.hover.has) do
      if not plain(text):find(words, 1, true) then
        fail('hover "%s" lacks "%s"', text, words)
      end
    end
    go(python.completion.line, python.completion.column)
    local answer = request('textDocument/completion')
    local labels = vim.tbl_map(function(item) return item.label end, answer.items or answer)
    equal(vim.tbl_contains(labels, python.completion.label), true, 'completion of ' .. python.completion.label)
    go(python.definition.line, python.definition.column)
    vim.lsp.buf.definition()
    local to = python.definition.to
    wait('a jump', function() return vim.deep_equal(vim.api.nvim_win_get_cursor(0), { to.line, to.column - 1 }) end)
  end)

  test('Python: code action', function()
    local bufnr, want = open_attached(python.document), python.diagnostic
    wait('a diagnostic', function() return #vim.diagnostic.get(bufnr) == 1 end)
    go(want.line, want.column)
    choose_action(python.action.title)
    wait('the edit', function() return vim.fn.getline(want.line) == python.action.text end)
    wait('no diagnostic', function() return #vim.diagnostic.get(bufnr) == 0 end)
    vim.cmd('edit!')
    wait('the diagnostic again', function() return #vim.diagnostic.get(bufnr) == 1 end)
  end)

  test('Python: inlay hint', function()
    if not vim.lsp.inlay_hint then
      return 'absent'
    end
    local bufnr = open_attached(python.document)
    vim.lsp.inlay_hint.enable(true, { bufnr = bufnr })
    wait('the hint', function()
      for _, item in ipairs(vim.lsp.inlay_hint.get({ bufnr = bufnr })) do
        if item.inlay_hint.position.line == python.hint.line - 1 then
          return vim.inspect(item.inlay_hint.label):find(python.hint.has, 1, true)
        end
      end
    end)
    vim.lsp.inlay_hint.enable(false, { bufnr = bufnr })
  end)

  test('Python: uses of a lens', function()
    local bufnr, want = open_attached(python.document), python.lens
    local function title()
      for _, lens in ipairs(request('textDocument/codeLens')) do
        if lens.range.start.line == want.line - 1 then
          return lens.command.title
        end
      end
    end
    wait('the uses', function() return title():find(want.uses, 1, true) end)  -- The dumps are read in the background.
    equal(title():find(want.has, 1, true) ~= nil, true, title())
    if not vim.lsp.codelens.enable then  -- Before 0.12 it runs what it shows.
      vim.lsp.codelens.refresh()
      wait('the lenses', function() return #vim.lsp.codelens.get(bufnr) > 0 end)
    end
    go(want.line, 1)
    vim.fn.setqflist({})
    vim.lsp.codelens.run()
    wait('the quickfix list', function() return #vim.fn.getqflist() > 0 end)
    local places = vim.tbl_map(function(item)
      return ('%s:%d:%d'):format(vim.fn.fnamemodify(vim.fn.bufname(item.bufnr), ':t'), item.lnum, item.col)
    end, vim.fn.getqflist())
    table.sort(places)
    equal(places, want.at, 'places')
    vim.cmd('cclose')
  end)

  test('Python: ordinary files', function()
    local bufnr = open(python.ordinary)
    vim.wait(200)
    equal(#onnxls.clients(bufnr), 0, 'clients of an ordinary file')
    vim.fn.append(1, { python.becomes, python.mistake })
    vim.cmd('doautocmd InsertLeave')
    wait('a client', function() return attached(bufnr) end)
    wait('a diagnostic', function() return #vim.diagnostic.get(bufnr) > 0 end)
    equal(rule_of(diagnostics(bufnr)[1]), python.diagnostic.rule, 'rule')
    vim.cmd('edit!')
  end)
end
