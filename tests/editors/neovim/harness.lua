-- What the tests in Neovim need: inputs, waiting, and a line of JSON for each feature.
local function read_json(path)
  return vim.fn.json_decode(table.concat(vim.fn.readfile(path), '\n'))
end

local given = read_json(os.getenv('ONNXLS_TEST'))
local expected = read_json(given.expected)

local function print_line(fields)
  io.stdout:write(vim.fn.json_encode(fields) .. '\n')
end

local function text_of(value)
  return type(value) == 'string' and value or vim.inspect(value):gsub('%s+', ' ')
end

local function fail(format, ...)
  local words = vim.tbl_map(text_of, { ... })
  error(format:format(unpack(words)), 0)
end

local function equal(got, wanted, what)
  if not vim.deep_equal(got, wanted) then
    fail('%s: got %s, expected %s', what, got, wanted)
  end
end

local patience_ms = 300000 -- It hangs, however busy the machine is.

local function wait(what, condition)
  if not vim.wait(patience_ms, condition, 5) then
    fail('waited in vain for %s', what)
  end
end

local said = {}

-- What Neovim showed as an error, and during which feature.
local function error_messages()
  return said
end

-- Runs one test; `feature` is the row of the table.
local function test(feature, run)
  if given.only and not feature:find(given.only, 1, true) then
    return
  end
  local start = vim.loop.hrtime()
  local ok, note = pcall(run)
  local ms = (vim.loop.hrtime() - start) / 1e6
  if vim.v.errmsg ~= '' then
    table.insert(said, feature .. ': ' .. vim.v.errmsg)
    vim.v.errmsg = ''
  end
  if ok and note == 'absent' then
    print_line({ feature = feature, result = 'absent' })
  else
    print_line({ feature = feature, result = ok and 'passed' or 'failed', ms = type(note) == 'table' and note.ms or ms,
      note = (ok and type(note) == 'table' and note.note) or (not ok and tostring(note)) or nil })
  end
end

local onnxls = require('onnxls')

local function open(name)
  vim.cmd('edit ' .. vim.fn.fnameescape(given.project .. '/' .. name))
  return vim.api.nvim_get_current_buf()
end

local function attached(bufnr)
  local client = onnxls.clients(bufnr)[1]
  return client and client.initialized ~= false and client or nil
end

local function open_attached(name)
  local bufnr = open(name)
  wait('a client for ' .. name, function() return attached(bufnr) end)
  return bufnr
end

-- 1-based line and column in characters, as in expected.json, and the cursor there.
local function go(line, column)
  local text = vim.fn.getline(line)
  local byte = #vim.fn.strcharpart(text, 0, column - 1)
  vim.api.nvim_win_set_cursor(0, { line, byte })
end

local function character(line, byte)
  return vim.fn.strchars(vim.fn.getline(line):sub(1, byte)) + 1
end

local severities = { 'error', 'warning', 'info', 'hint' }

local function diagnostics(bufnr)
  local all = vim.diagnostic.get(bufnr)
  table.sort(all, function(a, b) return a.lnum < b.lnum end)
  return all
end

local function rule_of(diagnostic)
  return diagnostic.code or vim.tbl_get(diagnostic, 'user_data', 'lsp', 'code')
end

local function check_diagnostics(name)
  local bufnr, wanted = open_attached(name), expected.diagnostics[name]
  if not vim.wait(patience_ms, function() return #vim.diagnostic.get(bufnr) == #wanted end, 5) then
    fail('%s has other diagnostics: %s', name, diagnostics(bufnr))
  end
  for i, diagnostic in ipairs(diagnostics(bufnr)) do
    local want = wanted[i]
    local line = diagnostic.lnum + 1
    equal({ line, character(line, diagnostic.col) }, { want.line, want.column }, name .. ' place')
    equal(severities[diagnostic.severity], want.severity, name .. ' severity')
    equal(rule_of(diagnostic), want.rule, name .. ' rule')
    if not diagnostic.message:find(want.has, 1, true) then
      fail('%s: the message "%s" lacks "%s"', name, diagnostic.message, want.has)
    end
  end
end

local function request(method)
  local bufnr = vim.api.nvim_get_current_buf()
  local client = attached(bufnr)
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local answers, why = vim.lsp.buf_request_sync(bufnr, method, params, patience_ms)
  if not answers then
    fail('%s: %s', method, why)
  end
  local answer = answers[client.id]
  if not answer or answer.err or answer.error then
    fail('%s: %s', method, answer and (answer.err or answer.error) or 'no answer')
  end
  return answer.result
end

local function float_text()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
      vim.api.nvim_win_close(window, true)
      return table.concat(lines, '\n')
    end
  end
end

local function plain(markdown)
  return (markdown:gsub('\\(%p)', '%1'):gsub('`', ''))
end

return {
  given = given,
  expected = expected,
  fail = fail,
  equal = equal,
  patience_ms = patience_ms,
  wait = wait,
  test = test,
  error_messages = error_messages,
  onnxls = onnxls,
  open = open,
  attached = attached,
  open_attached = open_attached,
  go = go,
  character = character,
  severities = severities,
  diagnostics = diagnostics,
  rule_of = rule_of,
  check_diagnostics = check_diagnostics,
  request = request,
  float_text = float_text,
  plain = plain,
}
