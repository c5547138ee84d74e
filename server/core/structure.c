#include "core/structure.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/buffer.h"
#include "core/features.h"

bool structure_of(const Snapshot *snapshot, int digits, GraphStructure *ret_structure)
{
  const Language *language = snapshot_language(snapshot);
  *ret_structure = (GraphStructure){ .digits = digits };
  if (!snapshot_model(snapshot) || !language->features->structure)
    return false;
  language->features->structure(snapshot, ret_structure);
  if (ret_structure->parts.count > 0)
    return true;
  structure_done(ret_structure);
  return false;
}

void structure_done(GraphStructure *structure)
{
  vec_free(&structure->parts);
  vec_free(&structure->values);
  vec_free(&structure->uses);
  vec_free(&structure->attributes);
  vec_free(&structure->blocks);
  vec_free(&structure->facts);
  arena_done(&structure->arena);
}

uint32_t structure_add_block(GraphStructure *structure, uint32_t owner, Str name)
{
  vec_push(&structure->blocks, (PartBlock){ .owner = owner, .name = name });
  return (uint32_t)structure->blocks.count - 1;
}

uint32_t structure_add_part(GraphStructure *structure, Part part)
{
  part.first_use = (uint32_t)structure->uses.count;
  part.first_value = (uint32_t)structure->values.count;
  part.first_attribute = (uint32_t)structure->attributes.count;
  part.use_count = part.value_count = part.attribute_count = 0;
  vec_push(&structure->parts, part);
  return (uint32_t)structure->parts.count - 1;
}

void structure_add_use(GraphStructure *structure, uint32_t value)
{
  vec_push(&structure->uses, value);
  vec_last(&structure->parts)->use_count++;
}

uint32_t structure_add_value(GraphStructure *structure, Str name, Str type)
{
  Part *part = vec_last(&structure->parts);
  PartValue value = { .name = name, .type = type, .index = part->value_count++ };
  value.part = (uint32_t)structure->parts.count - 1;
  vec_push(&structure->values, value);
  return (uint32_t)structure->values.count - 1;
}

void structure_add_attribute(GraphStructure *structure, Str name, Str value)
{
  vec_push(&structure->attributes, (PartAttribute){ name, value });
  vec_last(&structure->parts)->attribute_count++;
}

void structure_add_fact(GraphStructure *structure, Str name, Str value, uint32_t line)
{
  vec_push(&structure->facts, (StructureFact){ name, value, line });
}

// --- One spelling ---

typedef struct Speller {
  Str text;
  size_t at;
  Buffer out;
  int digits;
  bool are_floats;
  bool has_space;  ///< White space came after what was written last.
} Speller;

static bool is_word_byte(char c)
{
  return ascii_is_digit(c) || ascii_is_letter(c) || c == '_' || c == '.' || (unsigned char)c >= 0x80;
}

static void put(Speller *speller, Str piece)
{
  char before = speller->out.len > 0 ? speller->out.data[speller->out.len - 1] : ' ';
  if (speller->has_space && is_word_byte(before) && is_word_byte(piece.data[0]))
    buffer_append_char(&speller->out, ' ');
  speller->has_space = false;
  buffer_append(&speller->out, piece);
}

/// The bytes of a string with its quotes.
static size_t string_len(Str rest)
{
  size_t len = 1;
  while (len < rest.len && rest.data[len] != rest.data[0])
    len += rest.data[len] == '\\' ? 2 : 1;
  return len < rest.len ? len + 1 : rest.len;
}

static size_t word_len(Str rest)
{
  size_t len = 0;
  while (len < rest.len) {
    char c = rest.data[len];
    bool is_sign = (c == '-' || c == '+') && len > 0 && (rest.data[len - 1] == 'e' || rest.data[len - 1] == 'E') &&
                   ascii_is_digit(rest.data[0]);
    if (!is_word_byte(c) && !is_sign)
      break;
    len++;
  }
  return len;
}

Str structure_number(double number, int digits, char *memory)
{
  // As it is rounded by who has it as a float, and not as the decimals that tell which one it is.
  if (digits < FLOAT_DIGITS && number >= -FLT_MAX && number <= FLT_MAX)
    number = (double)(float)number;
  return str_make(memory, (size_t)snprintf(memory, STRUCTURE_NUMBER_ROOM, "%.*g", digits, number));
}

static bool has_point(Str word)
{
  static const char *const signs[] = { ".", "e", "E" };
  return str_contains_one_of(word, signs, COUNT(signs));
}

/// A word that is a number with a point or an exponent as structure_number() spells it; any other word as it is.
static void put_word(Speller *speller, Str word)
{
  char digits[STRUCTURE_NUMBER_ROOM];
  bool may_be = ascii_is_digit(word.data[0]) && word.len < sizeof(digits) && (speller->are_floats || has_point(word));
  if (!may_be) {
    put(speller, word);
    return;
  }
  memcpy(digits, word.data, word.len);
  digits[word.len] = '\0';
  char *end;
  double number = strtod(digits, &end);
  if (*end != '\0') {
    put(speller, word);
    return;
  }
  char spelt[STRUCTURE_NUMBER_ROOM];
  put(speller, structure_number(number, speller->digits, spelt));
  // A whole number by its looks is none.
  if (!strpbrk(spelt, ".en"))
    buffer_append(&speller->out, STR(".0"));
}

/// The bytes of the comment, string or word at the beginning; 1 for anything else.
static size_t piece_len(Str rest)
{
  char c = rest.data[0];
  if (c == '#') {
    size_t end = str_find_char(rest, '\n', 0);
    return end == STR_NOT_FOUND ? rest.len : end;
  }
  if (c == '"' || c == '\'')
    return string_len(rest);
  return is_word_byte(c) ? word_len(rest) : 1;
}

/// The significant digits of a number.
static int count_digits(Str number)
{
  int count = 0;
  for (size_t i = 0; i < number.len && number.data[i] != 'e' && number.data[i] != 'E'; i++)
    count += ascii_is_digit(number.data[i]) && (count > 0 || number.data[i] != '0');
  return count;
}

int structure_most_digits(Str text)
{
  int most = 0;
  for (size_t at = 0; at < text.len;) {
    Str piece = str_slice(text, at, at + piece_len(str_slice(text, at, text.len)));
    int count = ascii_is_digit(piece.data[0]) && has_point(piece) ? count_digits(piece) : 0;
    most = count > most ? count : most;
    at += piece.len;
  }
  return most;
}

Str structure_spelling(GraphStructure *structure, Str text, bool are_floats)
{
  Speller speller = { .text = text, .digits = structure->digits, .are_floats = are_floats };
  while (speller.at < text.len) {
    Str rest = str_slice(text, speller.at, text.len);
    char c = rest.data[0];
    size_t len = piece_len(rest);
    if (ascii_is_space(c))
      speller.has_space = true;
    else if (is_word_byte(c))
      put_word(&speller, str_slice(rest, 0, len));
    else if (c != '#')
      put(&speller, str_slice(rest, 0, len));
    speller.at += len;
  }
  Str spelling = arena_copy(&structure->arena, buffer_str(&speller.out));
  buffer_done(&speller.out);
  return spelling;
}
