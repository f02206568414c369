/** A JSON Schema (2020-12) in its object form. */
export type JsonSchema = { [keyword: string]: unknown };

/** The types that a keyword says something about; where it is not listed, about any. */
const SPEAKS_OF: Record<string, readonly string[]> = {
  minimum: ["integer", "number"],
  maximum: ["integer", "number"],
  minLength: ["string"],
  maxLength: ["string"],
  pattern: ["string"],
};

/**
 * The same schema in fewer tokens: every agent that connects pays for the tool list. What is accepted stays the same:
 *
 * - `additionalProperties: {}` is the default (JSON Schema 2020-12 Core, 10.3.2.3).
 * - The bounds of the safe integers are those of every integer that JSON as JavaScript reads it can tell apart.
 * - Alternatives of different types are one schema with a list of types, because a keyword for one type says nothing of
 *   the others (Validation, 6.2 and 6.3).
 *
 * @example
 * ```ts
 * import { compactSchema } from "./compact_schema.ts";
 * import { assertEquals } from "@std/assert";
 * const id = { anyOf: [{ type: "integer", minimum: 0 }, { type: "string", minLength: 1 }] };
 * assertEquals(compactSchema(id), { type: ["integer", "string"], minimum: 0, minLength: 1 });
 * ```
 */
export function compactSchema(schema: JsonSchema): JsonSchema {
  return rewrite(schema, (one) => merged(withoutDefaults(one)));
}

/**
 * The schema without the limits that no caller comes near and no model can count: lengths, how many items, patterns (of
 * which the description speaks), a least value of 0, greatest values from a million on. It accepts more than before,
 * never less; the server checks all of them, and its error names the field, the limit and the value.
 *
 * @example
 * ```ts
 * import { withoutFarLimits } from "./compact_schema.ts";
 * import { assertEquals } from "@std/assert";
 * const schema = withoutFarLimits({ type: "string", maxLength: 500, description: "New title." });
 * assertEquals(schema, { type: "string", description: "New title." });
 * ```
 */
export function withoutFarLimits(schema: JsonSchema): JsonSchema {
  return rewrite(schema, (one) => {
    const isFar = (keyword: string, limit: unknown) =>
      UNCOUNTED.has(keyword) || (keyword === "minimum" && limit === 0) ||
      (keyword === "maximum" && Number(limit) >= FAR);
    return Object.fromEntries(Object.entries(one).filter(([keyword, limit]) => !isFar(keyword, limit)));
  });
}

const UNCOUNTED = new Set(["minLength", "maxLength", "maxItems", "pattern"]);
const FAR = 1_000_000;

/** A schema with each schema in it rewritten, the inner ones first. */
function rewrite(schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const result: JsonSchema = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "properties") {
      const named = Object.entries(value as Record<string, JsonSchema>);
      result[keyword] = Object.fromEntries(named.map(([name, one]) => [name, rewrite(one, change)]));
    } else if (keyword === "items" || keyword === "additionalProperties") {
      result[keyword] = isSchema(value) ? rewrite(value, change) : value;
    } else if (keyword === "anyOf") {
      result[keyword] = (value as JsonSchema[]).map((one) => rewrite(one, change));
    } else {
      result[keyword] = value;
    }
  }
  return change(result);
}

function withoutDefaults({ additionalProperties, ...schema }: JsonSchema): JsonSchema {
  if (schema.type === "integer" && schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.type === "integer" && schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  const isDefault = isSchema(additionalProperties) && Object.keys(additionalProperties).length === 0;
  return additionalProperties === undefined || isDefault ? schema : { ...schema, additionalProperties };
}

function merged({ anyOf, ...schema }: JsonSchema): JsonSchema {
  if (!Array.isArray(anyOf)) return schema;
  const branches = anyOf as JsonSchema[];
  const types = branches.map(({ type }) => type);
  const isPlain = schema.type === undefined && types.every((type) => typeof type === "string") &&
    // A number may be an integer, so that these two are not apart.
    new Set(types.map((type) => type === "integer" ? "number" : type)).size === types.length &&
    branches.every(({ type, ...rest }) =>
      Object.keys(rest).every((keyword) => SPEAKS_OF[keyword]?.includes(type as string))
    );
  return isPlain ? { ...Object.assign({}, schema, ...branches), type: types } : { anyOf, ...schema };
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null;
}
