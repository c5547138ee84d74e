-- The tree-sitter parser of dumps: built on the user's machine, used where it is there.
local M = {}

local LANGUAGE, FILETYPE = 'torch_ir', 'torch-ir'

-- Captures of our queries that Neovim's own colours don't know.
local links = { namespace = 'Comment', title = 'Title' }

local function has_parser()
  return #vim.api.nvim_get_runtime_file('parser/' .. LANGUAGE .. '.so', false) > 0
end

--- Colours by tree-sitter, if the parser was built; else those of syntax/ stay.
function M.highlight(bufnr)
  if not vim.treesitter.start or vim.bo[bufnr].filetype ~= FILETYPE or not has_parser() then
    return
  end
  if vim.treesitter.language.register then
    vim.treesitter.language.register(LANGUAGE, FILETYPE)
  end
  for capture, group in pairs(links) do
    vim.api.nvim_set_hl(0, ('@%s.%s'):format(capture, LANGUAGE), { link = group, default = true })
  end
  local ok, why = pcall(vim.treesitter.start, bufnr, LANGUAGE)
  if not ok then
    vim.notify_once('onnxls: the tree-sitter parser does not load: ' .. why, vim.log.levels.WARN)
  end
end

-- The grammar lies beside the plugin in a checkout of onnxls.
local function find_grammar(given)
  local here = vim.loop.fs_realpath(debug.getinfo(1, 'S').source:sub(2))
  local folder = given ~= '' and given or vim.fn.fnamemodify(here, ':p:h:h:h:h:h') .. '/grammar/torch-ir'
  return vim.fn.filereadable(folder .. '/src/parser.c') == 1 and folder or nil, folder
end

local function find_compiler()
  for _, name in ipairs({ vim.env.CC or '', 'cc', 'gcc', 'clang' }) do
    if name ~= '' and vim.fn.executable(name) == 1 then
      return name
    end
  end
end
M.find_compiler = find_compiler

local function compile(compiler, sources, output)
  local said = vim.fn.system({
    compiler, '-O2', '-std=c11', '-shared', '-fPIC', '-I', sources, '-o', output,
    sources .. '/parser.c', sources .. '/scanner.c',
  })
  return vim.v.shell_error == 0, said
end

local function copy_queries(from, to)
  vim.fn.mkdir(to, 'p')
  for _, path in ipairs(vim.fn.glob(from .. '/*.scm', false, true)) do
    vim.fn.writefile(vim.fn.readfile(path), to .. '/' .. vim.fn.fnamemodify(path, ':t'))
  end
end

--- Compiles the grammar in `folder` into the user's site folder and copies its queries there. True if it went well.
function M.build(folder)
  local function fail(text)
    vim.notify('onnxls: ' .. text, vim.log.levels.ERROR)
    return false
  end
  local grammar, tried = find_grammar(folder or '')
  if not grammar then
    return fail(('there is no grammar in %s; name its folder: :OnnxlsBuildParser grammar/torch-ir'):format(tried))
  end
  local compiler = find_compiler()
  if not compiler then
    return fail('no C compiler found (cc, gcc, clang or $CC)')
  end
  local site = vim.fn.stdpath('data') .. '/site'
  vim.fn.mkdir(site .. '/parser', 'p')
  -- Another Neovim may have the old file open: a new one takes its place.
  local output = ('%s/parser/%s.so'):format(site, LANGUAGE)
  local ok, said = compile(compiler, grammar .. '/src', output .. '.new')
  if not ok or vim.fn.rename(output .. '.new', output) ~= 0 then
    return fail('the parser could not be built: ' .. said)
  end
  copy_queries(grammar .. '/queries', ('%s/queries/%s'):format(site, LANGUAGE))
  if not has_parser() then
    vim.opt.runtimepath:append(site)  -- It was not there when Neovim looked.
  end
  vim.notify('onnxls: built ' .. output .. '; files opened from now on use it')
  return true
end

M.has_parser = has_parser
return M
