-- What a text is, from its first lines. The server looks further; this only has to be right when it speaks.
local M = {}

local LINES, LINE_BYTES = 200, 2000

-- In this order, for each line.
local signs = {
  { 'torch-ir', 'graph%(%%' },                                   -- graph(%x : Tensor, also after a log's prefix
  { 'torch-ir', '^%s*%%[%w_.]+.- = %^?[%w_]+::[%w_.]+[%(%[]' },  -- %1 : Tensor = aten::relu(
  { 'torch-ir', '^%s*%%[^%s%[]+%[[A-Z]+[%d]*, [^%]]+%]' },       -- %x[FLOAT, 1x3] of a printable graph
  { 'fx-graph', '%[num_users=%d' },
  { 'fx-graph', '%[#users=%d' },
  { 'fx-graph', '^class GraphModule%(torch%.nn%.Module%)' },
  { 'fx-graph', '^ExportedProgram:' },
  { 'fx-graph', ' = torch%.ops%.[%w_]+%.[%w_]+%.[%w_]+%(' },     -- code with overloads is generated
  { 'onnx-text', '^%s*<?%s*ir_version: %d+[,>]' },
  { 'onnx-ir', '^%s*<?%s*ir_version=%d+,' },
}

--- The filetype of a line, or nil.
function M.line(line)
  line = line:sub(1, LINE_BYTES)
  if not line:find('[%%:=#]') then
    return nil
  end
  for _, sign in ipairs(signs) do
    if line:find(sign[2]) then
      return sign[1]
    end
  end
end

--- The filetype of a buffer, or nil.
function M.filetype(bufnr)
  for _, line in ipairs(vim.api.nvim_buf_get_lines(bufnr, 0, LINES, false)) do
    local filetype = M.line(line)
    if filetype then
      return filetype
    end
  end
end

--- Python that mentions ONNX: everything of torch.onnx has that in its imports, an autograd.Function may have the
--- second alone.
function M.is_relevant_python(bufnr)
  for _, line in ipairs(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)) do
    if line:find('onnx', 1, true) or line:find('def symbolic(', 1, true) then
      return true
    end
  end
  return false
end

-- Words of exceptions that nothing but an export, a check or a session of a model raises.
local error_signs = {
  'torch.onnx.', 'torch/onnx/', 'ONNX export failed', "Exporting the operator '", '[ONNXRuntimeError]', 'onnxruntime.capi.',
  'onnx_cpp2py_export.', 'GuardOnDataDependentSymNode', 'Constraints violated (',
}

--- A text with an exception of an export.
function M.has_error(bufnr)
  for _, line in ipairs(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)) do
    for _, sign in ipairs(error_signs) do
      if line:find(sign, 1, true) then
        return true
      end
    end
  end
  return false
end

--- Is the server of use in this buffer? Python buffers have another server; ours comes where it knows more.
function M.is_ours(bufnr)
  local filetype = vim.bo[bufnr].filetype
  return vim.tbl_contains(require('onnxls.config').current().filetypes, filetype)
    and (filetype ~= 'python' or M.is_relevant_python(bufnr))
end

return M
