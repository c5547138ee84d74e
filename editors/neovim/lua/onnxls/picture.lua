-- The picture of the graph in this buffer, in a browser.
local M = {}

local function program()
  local command = require('onnxls.config').current().cmd
  return type(command) == 'table' and command[1] or 'onnxls'
end

-- Neovim 0.10 knows how files are opened; g:onnxls_browser names a program for those before, or another one.
local function show(path)
  if vim.g.onnxls_browser then
    vim.fn.jobstart({ vim.g.onnxls_browser, path }, { detach = true })
  elseif vim.ui.open then
    vim.ui.open(path)
  else
    vim.fn.jobstart({ vim.fn.has('mac') == 1 and 'open' or 'xdg-open', path }, { detach = true })
  end
end

--- Draws the text as it is in the buffer, and opens it at the node under the cursor. The page's path.
function M.open(bufnr)
  local name = vim.api.nvim_buf_get_name(bufnr)
  local is_on_disk = not vim.bo[bufnr].modified and vim.fn.filereadable(name) == 1
  local page = vim.fn.tempname() .. '.html'
  local line = vim.api.nvim_win_get_cursor(0)[1]
  local command = { program(), 'graph', is_on_disk and name or '-', '--at', tostring(line), '--out', page }
  local text = not is_on_disk and vim.api.nvim_buf_get_lines(bufnr, 0, -1, false) or nil
  local said = text and vim.fn.system(command, text) or vim.fn.system(command)
  if vim.v.shell_error ~= 0 then
    vim.notify(vim.trim(said), vim.log.levels.ERROR)
    return nil
  end
  show(page)
  return page
end

return M
