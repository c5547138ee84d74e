-- The operators of all graphs below a folder in the quickfix list: `onnxls ops`, what can't be converted first.
local M = {}

local function program()
  local command = require('onnxls.config').current().cmd
  return type(command) == 'table' and command[1] or 'onnxls'
end

local function opsets(operator)
  local set = operator.torchscript
  if type(set) ~= 'table' then
    return ''
  elseif #set == 0 then
    return ', TorchScript: no opset'
  end
  return (', TorchScript: opsets %d to %d'):format(set[1], set[#set])
end

local function add(items, folder, operator)
  local is_reported = operator.reported > 0
  for _, line in ipairs(operator.lines) do
    table.insert(items, {
      filename = vim.fn.fnamemodify(folder .. '/' .. operator.file, ':p'),
      lnum = line,
      type = is_reported and 'E' or 'I',
      text = ('%s (%d of %d nodes reported%s)'):format(operator.op, operator.reported, operator.count, opsets(operator)),
    })
  end
end

--- Those of a folder, else of the working directory; with `all` also what can be converted. The number of entries.
function M.list(folder, all)
  folder = folder ~= '' and folder or vim.fn.getcwd()
  local messages = vim.fn.tempname()
  local words = vim.tbl_map(vim.fn.shellescape, { program(), 'ops', '.', '--format', 'json' })
  local out = vim.fn.system(('cd %s && %s 2>%s'):format(vim.fn.shellescape(folder), table.concat(words, ' '), vim.fn.shellescape(messages)))
  local is_read, operators = pcall(vim.fn.json_decode, out)
  if not is_read or type(operators) ~= 'table' then
    local said = vim.fn.filereadable(messages) == 1 and table.concat(vim.fn.readfile(messages), ' ') or ''
    vim.notify(said ~= '' and said or 'onnxls: the operators can\'t be listed', vim.log.levels.ERROR)
    vim.fn.delete(messages)
    return nil
  end
  vim.fn.delete(messages)
  local items = {}
  for _, operator in ipairs(operators) do
    if all or operator.reported > 0 then
      add(items, folder, operator)
    end
  end
  vim.fn.setqflist({}, ' ', { title = all and 'Operators' or 'Unsupported operators', items = items })
  if #items == 0 then
    vim.notify('onnxls: every operator can be converted', vim.log.levels.INFO)
  else
    vim.cmd('botright copen')
  end
  return #items
end

return M
