-- :checkhealth onnxls
local M = {}

local health = vim.health or require('health')
local start = health.start or health.report_start
local ok = health.ok or health.report_ok
local info = health.info or health.report_info
local warn = health.warn or health.report_warn
local fail = health.error or health.report_error

local function check_server()
  start('onnxls: server')
  local lines, why = require('onnxls').version()
  if not lines then
    fail(why, {
      'Put onnxls on $PATH, or name it:',
      "require('onnxls').setup({ cmd = { '/path/to/onnxls', 'serve', '--stdio' } })",
    })
    return
  end
  for _, line in ipairs(lines) do
    ok(line)
  end
end

local function check_clients()
  start('onnxls: clients')
  local clients = require('onnxls').clients()
  if #clients == 0 then
    info('none is running; one starts with the first dump')
  end
  for _, client in ipairs(clients) do
    local settings = client.settings or client.config.settings
    ok(('client %d, root %s'):format(client.id, client.config.root_dir or 'none (a single file)'))
    -- Neovim 0.7 would print what it takes for an empty dictionary.
    local ours = next(settings.onnxls or {}) and vim.inspect(settings.onnxls):gsub('%s+', ' ') or 'none'
    info('settings of the editor: ' .. ours)
  end
  if vim.g.onnxls_autostart == 0 then
    info('g:onnxls_autostart is 0: nothing starts by itself')
  end
end

local function check_colours()
  start('onnxls: colours')
  local parser = require('onnxls.parser')
  if vim.lsp.semantic_tokens then
    ok('semantic tokens of the server')
  else
    info('no semantic tokens before Neovim 0.9')
  end
  if not vim.treesitter.start then
    info('tree-sitter is used from Neovim 0.8 on; syntax/torch-ir.vim serves')
  elseif parser.has_parser() then
    ok('tree-sitter parser torch_ir')
  elseif parser.find_compiler() then
    info('no tree-sitter parser; :OnnxlsBuildParser builds it with ' .. parser.find_compiler())
  else
    info('no tree-sitter parser, and no C compiler to build it with; syntax/torch-ir.vim serves')
  end
end

function M.check()
  start('onnxls: Neovim')
  if vim.fn.has('nvim-0.7') == 1 then
    ok('Neovim is new enough')
  else
    warn('Neovim 0.7 or newer is needed')
    return
  end
  check_server()
  check_clients()
  check_colours()
end

return M
