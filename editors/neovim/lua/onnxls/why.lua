-- What `onnxls why` says of an exception.
local M = {}

-- The clipboard, or what was yanked last where there is none.
local function copied_lines()
  for _, register in ipairs({ '+', '*', '"' }) do
    local found, lines = pcall(vim.fn.getreg, register, 1, true)
    if found and table.concat(lines):find('%S') then
      return lines
    end
  end
  return nil
end

--- Shows it in a window of its own; `lines` are those of a buffer, or nil for what was copied.
function M.explain(lines)
  local config = require('onnxls.config')
  local command = config.current().cmd
  lines = lines or copied_lines()
  if not lines then
    vim.notify('onnxls: copy the exception, the log or the report first', vim.log.levels.WARN)
    return
  elseif type(command) ~= 'table' or vim.fn.executable(command[1]) == 0 then
    vim.notify("onnxls: can't find the server; :checkhealth onnxls says what to do", vim.log.levels.ERROR)
    return
  end
  local answer = vim.fn.systemlist({ command[1], 'why', '-' }, lines)
  vim.cmd('botright new')
  local buffer = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, answer)
  vim.bo.buftype, vim.bo.bufhidden, vim.bo.modified = 'nofile', 'wipe', false
end

return M
