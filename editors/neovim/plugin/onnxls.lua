-- Nothing is loaded before the first file that is ours. `let g:onnxls_autostart = 0` leaves starting to you.
if vim.g.loaded_onnxls or vim.fn.has('nvim-0.7') == 0 then
  return
end
vim.g.loaded_onnxls = 1

local group = vim.api.nvim_create_augroup('onnxls', { clear = true })
vim.api.nvim_create_autocmd('FileType', {
  group = group,
  pattern = { 'torch-ir', 'fx-graph', 'onnx-text', 'onnx-ir' },
  callback = function(event)
    require('onnxls').open(event.buf)
  end,
})
vim.api.nvim_create_autocmd('FileType', {
  group = group,
  pattern = 'python',
  callback = function(event)
    require('onnxls').open_python(event.buf)
  end,
})
vim.api.nvim_create_autocmd('BufReadCmd', {
  group = group,
  pattern = '*.onnx',
  callback = function(event)
    require('onnxls.model').read(event.buf, event.match)
  end,
})
vim.api.nvim_create_autocmd('FileType', {
  group = group,
  pattern = { 'text', 'markdown', 'log' },
  callback = function(event)
    require('onnxls').open_text(event.buf)
  end,
})
if vim.lsp.enable and vim.g.onnxls_autostart ~= 0 then
  vim.lsp.enable('onnxls')
end

vim.api.nvim_create_user_command('OnnxlsExplainError', function(command)
  require('onnxls.why').explain(command.range > 0 and vim.api.nvim_buf_get_lines(0, command.line1 - 1, command.line2, false))
end, { range = true, desc = 'Say why an export failed: the lines of the range, else the clipboard' })

vim.api.nvim_create_user_command('OnnxlsBuildParser', function(command)
  require('onnxls.parser').build(command.args)
end, { nargs = '?', complete = 'dir', desc = 'Build the tree-sitter parser of torch-ir with the C compiler' })

vim.api.nvim_create_user_command('OnnxlsDiff', function(command)
  require('onnxls.model').diff(command.args)
end, { nargs = 1, complete = 'file', desc = 'What differs between this graph and another one' })

vim.api.nvim_create_user_command('OnnxlsOps', function(command)
  require('onnxls.operators').list(command.args, command.bang)
end, { nargs = '?', bang = true, complete = 'dir', desc = 'Operators of a folder that can\'t be converted; with ! all of them' })

vim.api.nvim_create_user_command('OnnxlsGraph', function()
  require('onnxls.picture').open(vim.api.nvim_get_current_buf())
end, { desc = 'The picture of this graph in a browser, at the node under the cursor' })
