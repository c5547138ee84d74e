-- For Neovim 0.11 and later: vim.lsp.enable('onnxls'), and vim.lsp.config('onnxls', { ... }) to change a part.
return require('onnxls.config').default()
