/**
 * TorchScript IR of every age, ONNX-lowered graphs, and printable_graph text.
 *
 * A dump is read line by line: every rule below ends at its line's end, and nesting is left to the
 * reader of the tree. So any run of whole lines parses on its own, and a damaged line spoils little
 * but itself. Anything that is not IR is a `text_line`.
 *
 * Most tokens come from src/scanner.c, because names may hold almost any byte and types nest. Line
 * breaks and separators (`,` ` : ` ` = ` `, scope:` ` # ` before a location) are white space before
 * the next token, which keeps the tree small; they have no nodes.
 */

// A list that is unrolled up to a limit costs one reduction instead of one per item.
function unrolled(item, limit) {
  const fixed = [];
  for (let n = 1; n <= limit; n++) {
    fixed.push(n === 1 ? item : seq(...Array(n).fill(item)));
  }
  fixed.push(seq(...Array(limit).fill(item), repeat1(item)));
  return choice(...fixed);
}

module.exports = grammar({
  name: 'torch_ir',

  // References are lexed without the scanner, so their commas are white space here, too.
  extras: _ => [/[ \t,]/],

  // In the order of src/tokens.h.
  externals: $ => [
    $._end,              // The end of a text whose last line has a line break.
    $.text_line,
    $.log_prefix,
    $._line_name,        // A name at a line's start: of a definition or of a parameter.
    $._line_assign,      // `=` at a line's start: a statement without outputs.
    $._line_header_end,
    $._graph,
    $._with,
    $._printable_graph,
    $.printable_section,
    $.block_name,
    $._arrow,
    $._return,
    $.closing_brace,
    $.stage_separator,
    $._python_tail,      // The last line of raw arguments that span lines.
    $._definition_name,
    $._parameter_name,
    $.type,
    $.header_end,
    $._comma,
    $.op_kind,
    $.python_op,
    $.python_arguments,
    $.attribute_value,
    $._cut_value,        // A value that goes on in the next line: `<Type Proto ...`.
    $._bare_ref,         // In `return %a, %b`: no bracket ends it.
    $._uses,
    $.scope,
    $.source_location,
    $._comment_text,
    $._with_name,
    $.graph_name,
    $._brace,
    $._junk,             // Never expected; what the scanner gives out while the parser recovers.
    $._error_sentinel,   // Never given out; valid only while the parser recovers.
  ],

  inline: $ => [
    $._definition_list,
    $._call,
    $._python_call,
    $._tail,
    $._header_tail,
  ],

  rules: {
    source_file: $ => seq(repeat($._line), optional($._end)),

    _line: $ => choice(
      $.text_line,
      $.statement,
      $.graph_header,
      $.parameter_line,
      $.block_header,
      $.block_return,
      $.return_statement,
      $.printable_graph_header,
      $.python_op_continuation,
      seq(optional($.log_prefix), $.closing_brace),
      seq(optional($.log_prefix), $.printable_section),
      seq(optional($.log_prefix), $.stage_separator),
    ),

    // ---- Statements -----------------------------------------------------------------------------

    statement: $ => seq(
      optional($.log_prefix),
      choice($._definition_list, alias($._line_assign, '=')),
      choice(
        seq(field('operator', $.op_kind), $._call),
        seq(field('operator', $.python_op), $._python_call),
      ),
    ),

    _definition_list: $ => seq(
      alias($._first_definition, $.definition),
      repeat($.definition),
    ),

    _first_definition: $ => seq(
      field('name', alias($._line_name, $.value_name)),
      optional(field('type', $.type)),
    ),

    definition: $ => seq(
      field('name', alias($._definition_name, $.value_name)),
      optional(field('type', $.type)),
    ),

    _call: $ => choice(
      seq(
        optional(field('attributes', $.attribute_list)),
        field('arguments', $.argument_list),
        optional($._tail),
      ),
      field('attributes', alias($._cut_attribute_list, $.attribute_list)),
    ),

    // Without arguments the raw Python values go on in the next line.
    _python_call: $ => seq(
      optional(field('attributes', $.attribute_list)),
      field('python_arguments', $.python_arguments),
      optional(seq(
        field('arguments', $.argument_list),
        optional($._tail),
      )),
    ),

    python_op_continuation: $ => seq(
      optional($.log_prefix),
      field('python_arguments', alias($._python_tail, $.python_arguments)),
      field('arguments', $.argument_list),
      optional($._tail),
    ),

    // What follows the arguments, in the order that printers use. What today's printers write is
    // inlined, because it ends nearly every line.
    _tail: $ => choice(
      field('source', $.source_location),
      field('scope', $.scope),
      seq(field('scope', $.scope), field('source', $.source_location)),
      $._other_tail,
    ),

    _other_tail: $ => choice(
      seq($._uses, optional(field('scope', $.scope)), optional(';'), optional($._end_comment)),
      seq(field('scope', $.scope), ';', optional($._end_comment)),
      seq(field('scope', $.scope), optional(field('source', $.source_location)), $.comment),
      seq(';', optional($._end_comment)),
      seq(optional(field('source', $.source_location)), $.comment),
    ),

    _end_comment: $ => choice(
      seq(field('source', $.source_location), optional($.comment)),
      $.comment,
    ),

    comment: $ => seq('#', optional($._comment_text)),

    // ---- Lists ----------------------------------------------------------------------------------

    attribute_list: $ => seq('[', optional(unrolled($.attribute, 3)), ']'),

    _cut_attribute_list: $ => seq(
      '[',
      optional(unrolled($.attribute, 3)),
      alias($._cut_attribute, $.attribute),
    ),

    // `CppOp[ThAddmm]` has a name only.
    attribute: $ => seq(
      field('name', $.attribute_name),
      optional(field('value', $.attribute_value)),
    ),

    _cut_attribute: $ => seq(
      field('name', $.attribute_name),
      field('value', alias($._cut_value, $.attribute_value)),
    ),

    attribute_name: _ => /[^%=,()\[\]{}"' \t\r\n]+([ \t]+[^%=,()\[\]{}"' \t\r\n]+)*/,

    argument_list: $ => seq('(', optional(unrolled($.value_ref, 6)), ')'),

    _bare_arguments: $ => repeat1(alias($._bare_ref, $.value_ref)),

    // A name may hold blanks, matching brackets, and commas that no blank follows.
    value_ref: _ => /%([^,()\r\n \t]|[ \t]+[^,()\r\n \t]|,[^,()\r\n \t%]|\([^()\r\n]*\))*/,

    // ---- Headers and ends -----------------------------------------------------------------------

    graph_header: $ => seq(
      optional($.log_prefix),
      optional(seq(
        alias($._with, 'with'),
        field('with_name', alias($._with_name, $.op_kind)),
      )),
      alias($._graph, 'graph'),
      '(',
      repeat($.parameter),
      optional($._header_tail),
    ),

    parameter_line: $ => seq(
      optional($.log_prefix),
      choice(
        seq(
          alias($._first_parameter, $.parameter),
          repeat($.parameter),
          optional($._header_tail),
        ),
        seq(alias($._line_header_end, $.header_end), optional($.comment)),
      ),
    ),

    _first_parameter: $ => seq(
      field('name', alias($._line_name, $.value_name)),
      optional(field('type', $.type)),
    ),

    parameter: $ => seq(
      field('name', alias($._parameter_name, $.value_name)),
      optional(field('type', $.type)),
    ),

    // Nothing at all before 1.1, where parameters are on lines of their own without commas.
    _header_tail: $ => choice(
      seq(alias($._comma, ','), optional($.comment)),
      seq($.header_end, optional($.comment)),
      $.comment,
    ),

    block_header: $ => seq(
      optional($.log_prefix),
      field('name', $.block_name),
      '(',
      repeat($.parameter),
      $.header_end,
      optional($.comment),
    ),

    block_return: $ => seq(
      optional($.log_prefix),
      alias($._arrow, '->'),
      field('arguments', $.argument_list),
      optional($.comment),
    ),

    return_statement: $ => seq(
      optional($.log_prefix),
      alias($._return, 'return'),
      choice(
        seq(field('arguments', $.argument_list), optional(';'), optional($.comment)),
        seq(field('arguments', alias($._bare_arguments, $.argument_list)), optional($.comment)),
        blank(),
      ),
    ),

    printable_graph_header: $ => seq(
      optional($.log_prefix),
      alias($._printable_graph, 'graph'),
      optional(field('name', $.graph_name)),
      choice('(', alias($._brace, '{')),
    ),
  },
});
