-- The client of onnxls: starting, restarting, and the commands of a buffer. See :help onnxls.
local config = require('onnxls.config')

local M = {}

local RESTART_LIMIT, RESTART_WINDOW_S, RESTART_DELAY_MS = 4, 180, 200
local LARGE_BYTES = 2 * 1024 * 1024

local chosen = {}    -- What :OnnxlsSetTarget and :OnnxlsSetOpset chose, by setting; survives a restart.
local restarts = {}  -- When the server was started again after it had died.

local function say(text, level)
  vim.notify('onnxls: ' .. text, level or vim.log.levels.INFO)
end

local function size(bufnr)
  return vim.api.nvim_buf_get_offset(bufnr, vim.api.nvim_buf_line_count(bufnr))
end

local function each_buffer(visit)
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) and require('onnxls.detect').is_ours(bufnr) then
      visit(bufnr)
    end
  end
end

-- Clients -------------------------------------------------------------------------------------------------------------

--- Our clients, of one buffer or of all.
function M.clients(bufnr)
  local all
  if vim.lsp.get_clients then
    all = vim.lsp.get_clients({ bufnr = bufnr })
  else
    all = bufnr and vim.tbl_values(vim.lsp.buf_get_clients(bufnr)) or vim.lsp.get_active_clients()
  end
  return vim.tbl_filter(function(client) return client.name == 'onnxls' end, all)
end

local function notify(client, method, params)
  if vim.fn.has('nvim-0.11') == 1 then
    client:notify(method, params)
  else
    client.notify(method, params)
  end
end

--- Asks a client; `answered` gets (error, result).
function M.request(client, method, params, answered, bufnr)
  if vim.fn.has('nvim-0.11') == 1 then
    client:request(method, params, answered, bufnr)
  else
    client.request(method, params, answered, bufnr)
  end
end

local function stop(client)
  if vim.fn.has('nvim-0.11') == 1 then
    client:stop()
  else
    client.stop()
  end
end

-- Of the diagnostics of one line Neovim shows the last as text, and its sign: a hint would hide an error.
local function show_worst(client_id)
  local general = vim.diagnostic.config()
  if not general or not general.severity_sort then
    vim.diagnostic.config({ severity_sort = true }, vim.lsp.diagnostic.get_namespace(client_id))
  end
end

-- Neovim 0.7 has no vim.lsp.start, which would share a client between the buffers of one root.
local client_of_root = {}

local function start_client(bufnr, resolved)
  local root = resolved.root_dir or ''
  local client = client_of_root[root] and vim.lsp.get_client_by_id(client_of_root[root])
  if not client or client.is_stopped() then
    client_of_root[root] = vim.lsp.start_client(resolved)
    if client_of_root[root] then
      show_worst(client_of_root[root])
    end
  end
  if client_of_root[root] then
    vim.lsp.buf_attach_client(bufnr, client_of_root[root])
  end
end

-- A cmd that is a function finds its server itself.
local function can_run(command)
  if type(command) ~= 'table' or vim.fn.executable(command[1]) == 1 then
    return true
  end
  vim.notify_once(("onnxls: can't find the server '%s'; :checkhealth onnxls says what to do"):format(command[1]),
    vim.log.levels.WARN)
  return false
end

--- Connects a buffer to the server of its root, starting it if need be.
function M.attach(bufnr)
  config.resolve(bufnr, function(resolved)
    if not can_run(resolved.cmd) then
      return
    elseif vim.lsp.start then
      vim.lsp.start(resolved, { bufnr = bufnr })
    else
      start_client(bufnr, resolved)
    end
  end)
end

function M.before_init(params, resolved)
  -- Neovim pulls diagnostics only of what is visible, and before 0.11 not after a change of settings: have them pushed.
  params.capabilities.textDocument.diagnostic = nil
  params.capabilities.experimental = { commands = { 'onnxls.showReferences' } }
  if next(chosen) then
    resolved.settings.onnxls = vim.tbl_extend('force', resolved.settings.onnxls or {}, chosen)
  end
end

-- Dying ---------------------------------------------------------------------------------------------------------------

local function may_restart()
  local now = os.time()
  restarts = vim.tbl_filter(function(time) return now - time < RESTART_WINDOW_S end, restarts)
  table.insert(restarts, now)
  return #restarts <= RESTART_LIMIT
end

local function attach_all()
  each_buffer(function(bufnr)
    if #M.clients(bufnr) == 0 then
      M.attach(bufnr)
    end
  end)
end

--- A server that ended by itself is started again, and gets every buffer as it is now.
function M.on_exit(code, signal)
  local is_wanted = code == 0 and (signal == 0 or signal == 15)
  vim.schedule(function()
    if is_wanted or vim.v.exiting ~= vim.NIL then
      return
    end
    local how = signal ~= 0 and ('signal ' .. signal) or ('exit code ' .. code)
    if may_restart() then
      say(('the server ended with %s; starting it again'):format(how), vim.log.levels.WARN)
      vim.defer_fn(attach_all, RESTART_DELAY_MS)
    else
      say(('the server ended with %s once more; :OnnxlsRestart tries again, :OnnxlsLog may say why'):format(how),
        vim.log.levels.ERROR)
    end
  end)
end

-- Buffers -------------------------------------------------------------------------------------------------------------

-- Neovim asks for the tokens of the whole text, which are millions in a large dump.
local function spare_tokens(bufnr, client)
  local tokens = vim.lsp.semantic_tokens
  if not tokens or size(bufnr) <= LARGE_BYTES then
    return
  end
  if tokens.enable then
    tokens.enable(false, { bufnr = bufnr })
    return
  end
  -- Before 0.12 a function that is scheduled after this one looks whether the server has tokens, once for each buffer.
  local provider = client.server_capabilities.semanticTokensProvider
  client.server_capabilities.semanticTokensProvider = nil
  vim.schedule(function()
    vim.schedule(function() client.server_capabilities.semanticTokensProvider = provider end)
  end)
end

local function add_commands(bufnr)
  local function add(name, run, options)
    vim.api.nvim_buf_create_user_command(bufnr, name, run, options)
  end
  add('OnnxlsSetOpset', function(command) M.set_opset(command.args) end,
    { nargs = '?', desc = 'Check against this ONNX opset; without a number, the one of the settings' })
  add('OnnxlsSetTarget', function(command) require('onnxls.target').choose(unpack(command.fargs)) end,
    { nargs = '*', desc = 'Choose torch, exporter, opset or runtime, and see what each would change',
      complete = function(...) return require('onnxls.target').complete(...) end })
  add('OnnxlsRestart', M.restart, { desc = 'Start the server again' })
  add('OnnxlsLog', M.open_log, { desc = "Open Neovim's log of language servers" })
  add('OnnxlsVersion', M.show_version, { desc = 'Versions of the server and of its facts' })
end

-- What a code lens opens: the uses that it counts, in the quickfix list. Other servers of the buffer are not asked.
local function show_references(command, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  local uri, position = unpack(command.arguments)
  local params = { textDocument = { uri = uri }, position = position, context = { includeDeclaration = false } }
  local function show(_, locations)
    vim.fn.setqflist({}, ' ', {
      title = command.title,
      items = vim.lsp.util.locations_to_items(locations or {}, client.offset_encoding),
    })
    vim.cmd('botright copen')
  end
  M.request(client, 'textDocument/references', params, show, context.bufnr)
end

local function set_up_once()
  set_up_once = function() end
  vim.lsp.commands['onnxls.showReferences'] = show_references
  local group = vim.api.nvim_create_augroup('onnxls_events', { clear = true })
  -- Neovim watches no files for us by default; what is edited inside it needs no watching.
  vim.api.nvim_create_autocmd('BufWritePost', {
    group = group,
    pattern = '.onnxls.json',
    callback = function(event)
      local changes = { { uri = vim.uri_from_bufnr(event.buf), type = 2 } }
      for _, client in ipairs(M.clients()) do
        notify(client, 'workspace/didChangeWatchedFiles', { changes = changes })
      end
    end,
  })
  require('onnxls.status').watch(group)
  if vim.fn.exists('##LspAttach') == 1 then
    vim.api.nvim_create_autocmd('LspAttach', {
      group = group,
      callback = function(event)
        local client = vim.lsp.get_client_by_id(event.data.client_id)
        if client and client.name == 'onnxls' then
          show_worst(client.id)
          spare_tokens(event.buf, client)
        end
      end,
    })
  end
end

--- A buffer of one of our filetypes: its commands, its colours, and before 0.11 its server.
function M.open(bufnr)
  set_up_once()
  add_commands(bufnr)
  if size(bufnr) <= LARGE_BYTES then
    require('onnxls.parser').highlight(bufnr)
  end
  if vim.g.onnxls_autostart == 0 then
    return
  elseif vim.lsp.enable then
    can_run(config.current().cmd)  -- Neovim starts it, but says nothing if it can't.
  else
    M.attach(bufnr)
  end
end

-- Somebody may write the import later.
local function look_again(bufnr)
  local group = vim.api.nvim_create_augroup('onnxls_python_' .. bufnr, { clear = true })
  vim.api.nvim_create_autocmd({ 'InsertLeave', 'BufWritePost' }, {
    group = group,
    buffer = bufnr,
    callback = function()
      if require('onnxls.detect').is_relevant_python(bufnr) then
        vim.api.nvim_del_augroup_by_id(group)
        M.open(bufnr)
        if vim.lsp.enable and vim.g.onnxls_autostart ~= 0 then
          M.attach(bufnr)  -- Neovim looks when the filetype is set, and not again.
        end
      end
    end,
  })
end

--- A Python buffer, which stays alone unless it mentions ONNX.
function M.open_python(bufnr)
  if not vim.tbl_contains(config.current().filetypes, 'python') then
    return
  elseif require('onnxls.detect').is_relevant_python(bufnr) then
    M.open(bufnr)
  else
    look_again(bufnr)
  end
end

--- A text, which stays alone unless it holds an exception of an export.
function M.open_text(bufnr)
  if vim.g.onnxls_autostart ~= 0 and require('onnxls.detect').has_error(bufnr) then
    set_up_once()
    M.attach(bufnr)
  end
end

-- Commands ------------------------------------------------------------------------------------------------------------

function M.set_opset(text)
  local number = tonumber(text)
  if text ~= '' and not number then
    say(("'%s' is not an opset; it is a number, such as 17"):format(text), vim.log.levels.ERROR)
    return
  end
  M.set('opset', number)
end

--- Has everything checked with this value of a setting; nil for what the project says.
function M.set(name, value)
  chosen[name] = value
  for _, client in ipairs(M.clients()) do
    local settings = client.settings or client.config.settings
    local ours = vim.tbl_extend('force', settings.onnxls or {}, {})
    ours[name] = value
    settings.onnxls = next(ours) and ours or vim.empty_dict()
    notify(client, 'workspace/didChangeConfiguration', { settings = settings })
  end
end

function M.restart()
  local clients = M.clients()
  for _, client in ipairs(clients) do
    stop(client)
  end
  restarts = {}
  local function when_stopped(left)
    if #M.clients() == 0 or left == 0 then
      attach_all()
    else
      vim.defer_fn(function() when_stopped(left - 1) end, 20)
    end
  end
  when_stopped(100)
end

function M.open_log()
  vim.cmd('tabedit ' .. vim.fn.fnameescape(require('vim.lsp.log').get_filename()))
  vim.cmd('normal! G')
end

--- What `onnxls version` says, as a list of lines; nil and the reason if it can't be run.
function M.version()
  local command = config.current().cmd
  if type(command) ~= 'table' or vim.fn.executable(command[1]) == 0 then
    return nil, ("'%s' can't be run"):format(type(command) == 'table' and command[1] or 'cmd')
  end
  local lines = vim.fn.systemlist({ command[1], 'version' })
  if vim.v.shell_error ~= 0 then
    return nil, ("'%s version' failed: %s"):format(command[1], table.concat(lines, ' '))
  end
  return lines
end

function M.show_version()
  local lines, why = M.version()
  if lines then
    say(table.concat(lines, '\n'))
  else
    say(why, vim.log.levels.ERROR)
  end
end

--- Optional. Takes what vim.lsp.config takes: cmd, settings, root_markers, on_attach, capabilities and so on.
function M.setup(options)
  options = options or {}
  if vim.lsp.config then
    vim.lsp.config('onnxls', options)
  else
    config.user = options
  end
end

return M
