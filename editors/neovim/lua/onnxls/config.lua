-- How the server is started, for every Neovim from 0.7 on.
local M = {}

M.filetypes = { 'torch-ir', 'fx-graph', 'onnx-text', 'onnx-ir', 'python' }
M.root_markers = { '.onnxls.json', '.git' }

-- What setup() was given; from Neovim 0.11 on, vim.lsp.config keeps it instead.
M.user = {}

function M.default()
  return {
    cmd = { 'onnxls', 'serve', '--stdio' },
    filetypes = M.filetypes,
    root_markers = M.root_markers,
    root_dir = vim.lsp.config and M.root_dir or nil,
    settings = { onnxls = vim.empty_dict() },
    before_init = function(params, config) require('onnxls').before_init(params, config) end,
    -- Neovim 0.7 is never asked for its settings.
    on_init = vim.fn.has('nvim-0.8') == 0 and function(client)
      client.notify('workspace/didChangeConfiguration', { settings = client.config.settings })
    end or nil,
    on_exit = function(code, signal, id) require('onnxls').on_exit(code, signal, id) end,
  }
end

-- The nearest folder that holds the first marker, else the next marker's.
local function find_root(path, markers)
  for _, marker in ipairs(markers) do
    local folder, before = vim.fn.fnamemodify(path, ':p:h'), nil
    while folder ~= before do
      if vim.loop.fs_stat(folder .. '/' .. marker) then
        return folder
      end
      folder, before = vim.fn.fnamemodify(folder, ':h'), folder
    end
  end
end

--- For vim.lsp.enable, which asks here whether a buffer is to be served at all.
function M.root_dir(bufnr, serve)
  if require('onnxls.detect').is_ours(bufnr) then
    serve(find_root(vim.api.nvim_buf_get_name(bufnr), M.current().root_markers))
  end
end

--- What is in force: vim.lsp.config's from 0.11 on, ours and setup()'s before.
function M.current()
  if vim.lsp.config then
    return vim.deepcopy(vim.lsp.config.onnxls)
  end
  local config = vim.tbl_deep_extend('force', M.default(), vim.deepcopy(M.user))
  config.name = 'onnxls'
  return config
end

--- Calls `start` with the configuration for a buffer. A root_dir that is a function follows the rules of 0.11.
function M.resolve(bufnr, start)
  local config = M.current()
  local function with_root(root)
    config.root_dir = root
    start(config)
  end
  if type(config.root_dir) == 'function' then
    config.root_dir(bufnr, with_root)
  else
    with_root(config.root_dir or find_root(vim.api.nvim_buf_get_name(bufnr), config.root_markers))
  end
end

return M
