-- Binary models as text, and two graphs compared: what the program prints, in a buffer.
local M = {}

local function program()
  local command = require('onnxls.config').current().cmd
  return type(command) == 'table' and command[1] or 'onnxls'
end

-- Standard output as lines, standard error and the exit code. A program that is not there is one more error.
local function run(args)
  local messages = vim.fn.tempname()
  local words = vim.tbl_map(vim.fn.shellescape, vim.list_extend({ program() }, args))
  local lines = vim.fn.systemlist(table.concat(words, ' ') .. ' 2>' .. vim.fn.shellescape(messages))
  local code = vim.v.shell_error
  local said = vim.fn.filereadable(messages) == 1 and table.concat(vim.fn.readfile(messages), ' ') or ''
  vim.fn.delete(messages)
  return lines, said, code
end

local function fill(bufnr, lines, filetype)
  vim.bo[bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].modified = false
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].readonly = true
  vim.bo[bufnr].swapfile = false
  vim.bo[bufnr].filetype = filetype
end

--- For BufReadCmd: the text of a model instead of its bytes. `:edit` reads it again.
function M.read(bufnr, path)
  local lines, said, code = run({ 'show', vim.fn.fnamemodify(path, ':p') })
  if code ~= 0 then
    vim.notify(said ~= '' and said or 'onnxls: the model can\'t be shown', vim.log.levels.ERROR)
  end
  vim.bo[bufnr].buftype = 'nowrite'
  fill(bufnr, lines, 'onnx-text')
end

--- What differs between the file of this buffer and another one, in a new window.
function M.diff(other)
  local here = vim.api.nvim_buf_get_name(0)
  local lines, said, code = run({ 'diff', here, vim.fn.fnamemodify(other, ':p') })
  if code > 1 or code < 0 then
    vim.notify(said ~= '' and said or 'onnxls: the two can\'t be compared', vim.log.levels.ERROR)
    return
  end
  vim.cmd('new')
  vim.bo.buftype = 'nofile'
  vim.bo.bufhidden = 'wipe'
  fill(vim.api.nvim_get_current_buf(), lines, 'diff')
end

return M
