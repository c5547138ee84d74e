-- Choosing what is exported with, and seeing what each choice would change. See :help :OnnxlsSetTarget.
local M = {}

local settings = { 'torch', 'exporter', 'opset', 'runtime' }

local function say(text, level)
  vim.notify('onnxls: ' .. text, level or vim.log.levels.INFO)
end

local function choices_of(targets, setting)
  return vim.tbl_filter(function(choice) return choice.setting == setting end, targets.choices)
end

local function total(choice)
  return (choice.errors or 0) * 100000 + (choice.warnings or 0)
end

-- The fewest problems; of several the one nearest to what is in force.
local function best_of(choices)
  local now
  for i, choice in ipairs(choices) do
    now = choice.current and i or now
  end
  local best, place
  for i, choice in ipairs(choices) do
    local is_better = now and (choice.difference or '') ~= '' and total(choice) < total(choices[now])
    local is_nearer = best and total(choice) == total(best) and math.abs(i - now) < math.abs(place - now)
    if is_better and (not best or total(choice) < total(best) or is_nearer) then
      best, place = choice, i
    end
  end
  return best
end

local function setting_line(targets, setting)
  local value = targets[setting]
  local best = best_of(choices_of(targets, setting))
  local line = value == '' and setting .. ': any' or ('%s: %s (%s)'):format(setting, value, targets[setting .. 'From'])
  return best and ('%s -- %s: %s'):format(line, best.value, best.difference) or line
end

local function value_line(choice)
  if not choice.setting then
    return 'what the project says'
  end
  local notes = {}
  if choice.current then
    table.insert(notes, 'current')
  end
  if (choice.difference or '') ~= '' then
    table.insert(notes, choice.difference)
  elseif type(choice.why) == 'string' then
    table.insert(notes, choice.why)
  elseif choice.errors then
    table.insert(notes, ('%d errors, %d warnings'):format(choice.errors, choice.warnings))
  end
  return #notes > 0 and ('%s -- %s'):format(choice.value, table.concat(notes, ', ')) or tostring(choice.value)
end

local function choose_value(targets, setting)
  local values = vim.list_extend({ {} }, choices_of(targets, setting))
  vim.ui.select(values, { prompt = 'onnxls: ' .. setting, format_item = value_line }, function(choice)
    if choice then
      require('onnxls').set(setting, choice.value)
    end
  end)
end

local function choose_setting(targets)
  local function line(setting) return setting_line(targets, setting) end
  vim.ui.select(settings, { prompt = 'onnxls: what do you export with?', format_item = line }, function(setting)
    if setting then
      choose_value(targets, setting)
    end
  end)
end

local function ask(answered)
  local bufnr = vim.api.nvim_get_current_buf()
  local client = require('onnxls').clients(bufnr)[1]
  if not client then
    say('no server serves this buffer', vim.log.levels.WARN)
    return
  end
  local params = { textDocument = { uri = vim.uri_from_bufnr(bufnr) } }
  local function take(_, targets)
    if type(targets) == 'table' then
      answered(targets)
    end
  end
  require('onnxls').request(client, 'onnxls/targets', params, take, bufnr)
end

--- :OnnxlsSetTarget [setting [value]]; what is missing is asked for.
function M.choose(setting, ...)
  local value = table.concat({ ... }, ' ')
  if setting and not vim.tbl_contains(settings, setting) then
    say(("there is no setting '%s'; there are %s"):format(setting, table.concat(settings, ', ')), vim.log.levels.ERROR)
  elseif setting == 'opset' and value ~= '' and value ~= 'project' and not tonumber(value) then
    say(("'%s' is not an opset; it is a number, such as 17"):format(value), vim.log.levels.ERROR)
  elseif value == 'project' then
    require('onnxls').set(setting, nil)
  elseif value ~= '' then
    require('onnxls').set(setting, setting == 'opset' and tonumber(value) or value)
  else
    ask(function(targets)
      if setting then
        choose_value(targets, setting)
      else
        choose_setting(targets)
      end
    end)
  end
end

function M.complete(lead, line)
  if line:match('^%s*%S+%s+%S*$') then
    return vim.tbl_filter(function(setting) return vim.startswith(setting, lead) end, settings)
  end
  return line:match('%sexporter%s') and { 'torchscript', 'dynamo', 'project' } or { 'project' }
end

return M
