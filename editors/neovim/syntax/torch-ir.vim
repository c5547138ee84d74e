" Colours of a dump without a server or a parser. Each item matches within one line, so that large files stay fast.
if exists('b:current_syntax')
  finish
endif

syntax sync minlines=1 maxlines=1
syntax match onnxlsValue /%[^ ,():=\[\]]\+/
syntax match onnxlsOperator /\<[A-Za-z_][0-9A-Za-z_]*::[0-9A-Za-z_.]\+/ contains=onnxlsNamespace
syntax match onnxlsNamespace /\<[A-Za-z_][0-9A-Za-z_]*::/ contained
syntax match onnxlsPythonOp /\^[A-Za-z_][0-9A-Za-z_.]*/
syntax match onnxlsControl /\<prim::\%(If\|Loop\)\>/
syntax match onnxlsBlock /^\s*block[0-9]\+\ze(/
syntax match onnxlsKeyword /\<graph\ze(\|^graph\>\|^\s*return\>\|^with\>\|->/
syntax match onnxlsType /\<\%(Tensor\|int\|float\|bool\|str\|complex\|NoneType\|Device\|Scalar\)\>\%(\[\]\)\=[?*]*/
syntax match onnxlsType /\<\%(Complex\)\=\%(Float\|Double\|Half\|BFloat16\|Long\|Int\|Short\|Byte\|Char\|Bool\)\ze(/
syntax match onnxlsType /\<__torch__[0-9A-Za-z_.]*/
syntax match onnxlsAttribute /[\[,]\s*\zs[A-Za-z_][0-9A-Za-z_]*\ze\s*=/
syntax match onnxlsNumber /\%(^\|[^0-9A-Za-z_.%:]\)\zs-\=[0-9]\+\%(\.[0-9]*\)\=\%(e[-+]\=[0-9]\+\)\=\ze\%([^0-9A-Za-z_.:]\|$\)/
syntax region onnxlsString start=/"/ skip=/\\./ end=/"/ oneline
syntax match onnxlsScope /, scope: \zs[^#]*/
syntax match onnxlsComment /#.*$/ contains=onnxlsSource
syntax match onnxlsSource /# \zs\S\+:\d\+\%(:\d\+\)\=$/ contained

highlight default link onnxlsValue Identifier
highlight default link onnxlsOperator Function
highlight default link onnxlsNamespace Include
highlight default link onnxlsPythonOp Macro
highlight default link onnxlsControl Conditional
highlight default link onnxlsBlock Label
highlight default link onnxlsKeyword Keyword
highlight default link onnxlsType Type
highlight default link onnxlsAttribute Special
highlight default link onnxlsNumber Number
highlight default link onnxlsString String
highlight default link onnxlsScope Comment
highlight default link onnxlsComment Comment
highlight default link onnxlsSource Underlined

let b:current_syntax = 'torch-ir'
