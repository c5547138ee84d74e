-- For a Neovim that somebody has just set up: waits for the client, hovers where ONNXLS_LINE and ONNXLS_COLUMN say, and
-- writes the window's text to the file that ONNXLS_RESULTS names. With ONNXLS_STAY it stays for a photograph.
local function float_text()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
    end
  end
end

local function write_shown()
  vim.wait(15000, float_text, 20)
  vim.cmd('redraw')
  vim.fn.writefile(float_text() or { 'no hover' }, os.getenv('ONNXLS_RESULTS'))
  if not os.getenv('ONNXLS_STAY') then
    vim.cmd('qall!')
  end
end

-- Step by step: a window that was opened before Neovim notices that the cursor has moved would be closed then.
local function hover()
  local bufnr = vim.api.nvim_get_current_buf()
  vim.wait(15000, function() return #vim.diagnostic.get(bufnr) > 0 end, 20)
  vim.api.nvim_win_set_cursor(0, { tonumber(os.getenv('ONNXLS_LINE')), tonumber(os.getenv('ONNXLS_COLUMN')) - 1 })
  vim.cmd('normal! zt5\025')
  vim.defer_fn(function()
    vim.lsp.buf.hover()
    vim.defer_fn(write_shown, 300)
  end, 300)
end

vim.api.nvim_create_autocmd('VimEnter', { callback = function() vim.defer_fn(hover, 100) end })
