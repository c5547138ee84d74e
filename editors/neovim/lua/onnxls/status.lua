-- What a status line says of a buffer: how much of it was judged, and for which export. See :help onnxls-status.
local M = {}

local words = { checked = 'checked', partly = 'checked in part', skipped = 'not checked' }

local function show(bufnr, answer)
  if not vim.api.nvim_buf_is_valid(bufnr) then
    return
  end
  local has_answer = type(answer) == 'table'
  vim.b[bufnr].onnxls_status = has_answer and ('%s: torch %s, %s, opset %d'):format(words[answer.status] or answer.status,
    answer.torch, answer.exporter, answer.opset) or ''
  vim.b[bufnr].onnxls_why = has_answer and type(answer.why) == 'string' and answer.why or ''
  vim.cmd('redrawstatus!')
end

--- Asks the server, if one serves the buffer.
function M.refresh(bufnr)
  local client = require('onnxls').clients(bufnr)[1]
  if not client then
    return
  end
  local params = { textDocument = { uri = vim.uri_from_bufnr(bufnr) } }
  local function answered(_, answer) show(bufnr, answer) end
  require('onnxls').request(client, 'onnxls/status', params, answered, bufnr)
end

--- Diagnostics come after each edit and when settings change, also when there are none.
function M.watch(group)
  vim.api.nvim_create_autocmd('DiagnosticChanged', {
    group = group,
    callback = function(event) M.refresh(event.buf) end,
  })
end

return M
