/** A JSON Schema (2020-12) in object form. */
export type JsonSchema = { [keyword: string]: unknown };

/**
 * Keywords that constrain values of certain types only (JSON Schema Validation §6.2 and §6.3,
 * Core §10.3.1.2), with these
 * types.
 */
const TYPE_SPECIFIC: Record<string, readonly string[]> = {
  minimum: ["integer", "number"],
  maximum: ["integer", "number"],
  minLength: ["string"],
  maxLength: ["string"],
  pattern: ["string"],
  items: ["array"],
};

/**
 * Returns an equivalent schema with fewer tokens, because every connected agent pays for the tool list:
 *
 * - `additionalProperties: {}` is the default (JSON Schema Core §10.3.2.3).
 * - `propertyNames: { type: "string" }` holds for every JSON object.
 * - The range of safe integers is implied: JSON numbers outside of it lose precision in JavaScript.
 * - `anyOf` over different types becomes one schema with a list of types, because type-specific keywords
 *   ignore values of other types.
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
  return transform(schema, (inner) => mergeAlternatives(omitDefaults(inner)));
}

/**
 * Returns the schema of a tool's input in the form that the libraries between this server and a model convert without loss:
 *
 * - Without limits that callers rarely reach, see {@linkcode omitLooseLimits}.
 * - A value of several types is listed as text, because every form of alternatives keeps some library from using the tools.
 *   A list of types: DSPy, Semantic Kernel, AutoGen. `anyOf`: Genkit, and next to a description Google's Vertex AI ("schema
 *   specified other fields alongside any_of", github.com/langchain-ai/langchain-google/issues/1216). The server accepts the
 *   other types, and reads them from a text: `"7"`, `"a, b"`, `"null"`.
 *
 * @example
 * ```ts
 * import { portableInput } from "./compact_schema.ts";
 * import { assertEquals } from "@std/assert";
 * const id = { description: "An id.", anyOf: [{ type: "integer", minimum: 0 }, { type: "string", minLength: 1 }] };
 * assertEquals(portableInput(id), { type: "string", description: "An id." });
 * ```
 */
export function portableInput(schema: JsonSchema): JsonSchema {
  return omitLooseLimits(transform(schema, (inner) => listText(omitDefaults(inner))));
}

/**
 * Returns the schema of an object without limits that callers rarely reach or that models cannot count: lengths, array
 * sizes, patterns and names of properties (the description covers them), minimums up to 1, maximums from a million on, and
 * that objects have no other properties. The result accepts more than the original, never less; the server still validates
 * all limits, and its error names the field, the limit and the value.
 *
 * `additionalProperties: false` would also keep Google's client for Gemini from using any of the tools: it takes the value
 * for a schema (github.com/googleapis/python-genai/issues/2393).
 *
 * @example
 * ```ts
 * import { omitLooseLimits } from "./compact_schema.ts";
 * import { assertEquals } from "@std/assert";
 * const schema = omitLooseLimits({ type: "string", maxLength: 500, description: "New title." });
 * assertEquals(schema, { type: "string", description: "New title." });
 * ```
 */
export function omitLooseLimits(schema: JsonSchema): JsonSchema {
  const isLoose = (keyword: string, limit: unknown) =>
    UNCOUNTABLE.has(keyword) || (MINIMUMS.has(keyword) && Number(limit) <= 1) ||
    (keyword === "maximum" && Number(limit) >= LOOSE_MAXIMUM) ||
    (keyword === "additionalProperties" && limit === false) ||
    (keyword === "properties" && Object.keys(limit as object).length === 0);
  const result = transform(schema, (inner) => {
    return Object.fromEntries(Object.entries(inner).filter(([keyword, limit]) => !isLoose(keyword, limit)));
  });
  // Clients expect the properties of a tool's input, even if it has none.
  const { properties } = schema;
  return properties === undefined ? result : { ...result, properties: result.properties ?? properties };
}

/** llguidance cannot compile `propertyNames`. */
const UNCOUNTABLE = new Set(["minLength", "maxLength", "maxItems", "pattern", "propertyNames"]);
const MINIMUMS = new Set(["minimum", "minItems"]);
const LOOSE_MAXIMUM = 1_000_000;

/** Applies a function to a schema and its subschemas, innermost first. */
function transform(schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const result: JsonSchema = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "properties") {
      const properties = Object.entries(value as Record<string, JsonSchema>);
      result[keyword] = Object.fromEntries(
        properties.map(([name, inner]) => [name, transform(inner, change)]),
      );
    } else if (keyword === "items" || keyword === "additionalProperties") {
      result[keyword] = isSchema(value) ? transform(value, change) : value;
    } else if (keyword === "anyOf") {
      result[keyword] = (value as JsonSchema[]).map((inner) => transform(inner, change));
    } else {
      result[keyword] = value;
    }
  }
  return change(result);
}

function omitDefaults({ additionalProperties, propertyNames, ...schema }: JsonSchema): JsonSchema {
  const isAnyName = isSchema(propertyNames) && Object.keys(propertyNames).join() === "type" &&
    propertyNames.type === "string";
  if (propertyNames !== undefined && !isAnyName) schema.propertyNames = propertyNames;
  if (schema.type === "integer" && schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.type === "integer" && schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  const isDefault = isSchema(additionalProperties) && Object.keys(additionalProperties).length === 0;
  return additionalProperties === undefined || isDefault ? schema : { ...schema, additionalProperties };
}

/** Lists alternatives as text, if that is one of them. */
function listText({ anyOf, ...schema }: JsonSchema): JsonSchema {
  if (!Array.isArray(anyOf)) return schema;
  const text = (anyOf as JsonSchema[]).find(({ type }) => type === "string");
  return text === undefined ? { anyOf, ...schema } : { ...text, ...schema };
}

function mergeAlternatives({ anyOf, ...schema }: JsonSchema): JsonSchema {
  if (!Array.isArray(anyOf)) return schema;
  const alternatives = anyOf as JsonSchema[];
  const types = alternatives.map(({ type }) => type);
  const canMerge = schema.type === undefined && types.every((type) => typeof type === "string") &&
    // Every integer is a number, so these two types overlap.
    new Set(types.map((type) => type === "integer" ? "number" : type)).size === types.length &&
    alternatives.every(({ type, ...rest }) =>
      Object.keys(rest).every((keyword) => TYPE_SPECIFIC[keyword]?.includes(type as string))
    );
  return canMerge ? { ...Object.assign({}, schema, ...alternatives), type: types } : { anyOf, ...schema };
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null;
}
