-- Names alone for the extensions that are ours; for names that say little, the first lines (onnxls.detect).
local own = {
  torchir = 'torch-ir', tsir = 'torch-ir', onnxtxt = 'onnx-text', onnxtext = 'onnx-text', onnxir = 'onnx-ir',
}

local function sniff(_, bufnr)
  return bufnr and require('onnxls.detect').filetype(bufnr) or nil
end

if vim.fn.has('nvim-0.8') == 1 then
  vim.filetype.add({
    extension = own,
    pattern = {
      ['.*%.graph%.txt'] = 'torch-ir',
      ['.*%.ep%.txt'] = 'fx-graph',
      ['.*%.fx%.txt'] = 'fx-graph',
      ['.*%.txt'] = sniff,
      ['.*%.log'] = sniff,
      ['.*%.fx'] = sniff,
      ['.*'] = { sniff, { priority = -math.huge } },  -- What nothing else knows.
    },
  })
  return
end

-- Neovim 0.7, whose own `*.txt` may have decided before.
local function detect(pattern, find)
  vim.api.nvim_create_autocmd({ 'BufRead', 'BufNewFile' }, {
    pattern = pattern,
    callback = function(event)
      local filetype = find(event.buf)
      if filetype and (vim.bo[event.buf].filetype == '' or vim.bo[event.buf].filetype == 'text') then
        vim.bo[event.buf].filetype = filetype
      end
    end,
  })
end

for extension, filetype in pairs(own) do
  detect('*.' .. extension, function() return filetype end)
end
detect('*.graph.txt', function() return 'torch-ir' end)
detect({ '*.ep.txt', '*.fx.txt' }, function() return 'fx-graph' end)
detect({ '*.txt', '*.log', '*.fx', '*.out' }, function(bufnr) return sniff(nil, bufnr) end)
