; Values

(value_ref) @variable
(definition name: (value_name) @variable)
(parameter name: (value_name) @variable.parameter)

; Types and operators

(type) @type
(statement operator: (op_kind) @function)
(statement operator: (python_op) @function.macro)
(python_arguments) @string.special

; `prim::Constant` and its kin make values rather than compute them.
((op_kind) @constructor
  (#match? @constructor "^(prim|onnx)::Constant$"))
((op_kind) @keyword
  (#match? @keyword "^(prim|onnx)::(If|Loop)$"))

; Attributes

(attribute_name) @property
(attribute_value) @constant
((attribute_value) @string
  (#match? @string "^[\"']"))
((attribute_value) @number
  (#match? @number "^-?([0-9]|inf|nan)"))

; Headers

["graph" "with" "return"] @keyword
(block_name) @label
(graph_name) @title
(graph_header with_name: (op_kind) @title)
(printable_section) @keyword

; Punctuation

["(" ")" "[" "]" "{"] @punctuation.bracket
["," ";"] @punctuation.delimiter
["->" "="] @operator
(header_end) @punctuation.bracket
(closing_brace) @punctuation.bracket
(stage_separator) @punctuation.special

; Trailers

(scope) @namespace
(source_location) @comment
(comment) @comment
((text_line) @comment
  (#match? @comment "^#"))
(log_prefix) @comment
