// As much of JSON Schema as the schemas in docs/ use. A keyword that is not known here is an error, so that the
// schema can't say something that nobody looks at.

const types = {
  null: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isInteger,
  number: (value) => typeof value === 'number',
  string: (value) => typeof value === 'string',
  array: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

const keywords = {
  $schema: () => true,
  $defs: () => true,
  title: () => true,
  description: () => true,
  type: (type, value) => [type].flat().some((name) => types[name](value)),
  const: (expected, value) => value === expected,
  enum: (allowed, value) => allowed.includes(value),
  minimum: (least, value) => typeof value !== 'number' || value >= least,
  maximum: (most, value) => typeof value !== 'number' || value <= most,
  minLength: (least, value) => typeof value !== 'string' || value.length >= least,
  pattern: (pattern, value) => typeof value !== 'string' || new RegExp(pattern, 'u').test(value),
  required: (names, value) => !types.object(value) || names.every((name) => name in value),
  properties: (schemas, value, root) => !types.object(value) ||
    Object.entries(schemas).every(([name, schema]) => !(name in value) || mismatch(schema, value[name], root) === null),
  additionalProperties: () => true,  // With `properties`, which it depends on: see mismatch().
  minItems: (least, value) => !Array.isArray(value) || value.length >= least,
  maxItems: (most, value) => !Array.isArray(value) || value.length <= most,
  uniqueItems: (unique, value) => !unique || !Array.isArray(value) || new Set(value.map((item) => JSON.stringify(item))).size === value.length,
  items: (schema, value, root) => !Array.isArray(value) || value.every((item) => mismatch(schema, item, root) === null),
  oneOf: (schemas, value, root) => schemas.filter((schema) => mismatch(schema, value, root) === null).length === 1,
  $ref: (reference, value, root) =>
    mismatch(reference.slice(2).split('/').reduce((at, name) => at[name], root), value, root) === null,
};

/** A member that `additionalProperties` does not let pass; null if there is none. */
function stranger(schema, value, root) {
  const rest = schema.additionalProperties;
  if (rest === undefined || !types.object(value))
    return null;
  const unknown = Object.keys(value).filter((name) => !(name in (schema.properties ?? {})));
  return unknown.find((name) => rest === false || (rest !== true && mismatch(rest, value[name], root) !== null)) ?? null;
}

/** What is wrong with `value`, or null. */
export function mismatch(schema, value, root = schema) {
  const extra = stranger(schema, value, root);
  if (extra !== null)
    return `there is no place for ${JSON.stringify(extra)} in ${JSON.stringify(value).slice(0, 300)}`;
  for (const [keyword, argument] of Object.entries(schema)) {
    if (!keywords[keyword])
      throw new Error(`the schema uses '${keyword}', which the tests do not know`);
    if (!keywords[keyword](argument, value, root))
      return `${keyword} ${JSON.stringify(argument)} does not hold for ${JSON.stringify(value).slice(0, 300)}`;
  }
  return null;
}
