import { assert, assertEquals } from "@std/assert";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import { z } from "zod";
import {
  compactSchema,
  type JsonSchema,
  omitLooseLimits,
  portableInput,
} from "../../src/mcp/compact_schema.ts";
import { listTools } from "../../src/mcp/tool_list.ts";
import { tools } from "../../src/tools/mod.ts";

const ajv = new AjvJsonSchemaValidator();

/** Returns the values that a schema accepts, according to the validator that MCP clients use. */
function accepted(schema: JsonSchema, values: readonly unknown[]): unknown[] {
  const validate = ajv.getValidator(schema);
  return values.filter((value) => validate(value).valid);
}

const VALUES: unknown[] = [
  null,
  true,
  -1,
  0,
  1,
  3,
  3.5,
  2 ** 31,
  Number.MAX_SAFE_INTEGER,
  "",
  "a",
  "1",
  "aaaa",
  [],
  ["a"],
  [1],
  {},
  { a: 1 },
  { a: "x" },
  { a: {}, b: 2 },
];

const EQUIVALENT: [name: string, schema: JsonSchema, compact: JsonSchema][] = [
  ["an object with any names", z.toJSONSchema(z.record(z.string(), z.number())), {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    additionalProperties: { type: "number" },
  }],
  [
    "additionalProperties that accept anything are omitted",
    { type: "object", properties: { a: { type: "number" } }, additionalProperties: {} },
    { type: "object", properties: { a: { type: "number" } } },
  ],
  [
    "other additionalProperties are kept",
    {
      type: "object",
      additionalProperties: { type: "object", properties: {}, additionalProperties: false },
    },
    {
      type: "object",
      additionalProperties: { type: "object", properties: {}, additionalProperties: false },
    },
  ],
  [
    "the range of safe integers is omitted",
    { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    { type: "integer" },
  ],
  [
    "other ranges are kept, and those of numbers that are not integers",
    { type: "array", items: { type: "number", minimum: 1, maximum: Number.MAX_SAFE_INTEGER } },
    { type: "array", items: { type: "number", minimum: 1, maximum: Number.MAX_SAFE_INTEGER } },
  ],
  [
    "alternatives of different types become a list of types",
    { description: "An id.", anyOf: [{ type: "integer", minimum: 1 }, { type: "string", maxLength: 1 }] },
    { description: "An id.", type: ["integer", "string"], minimum: 1, maxLength: 1 },
  ],
  [
    "an alternative may be a list",
    { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
    { type: ["string", "array"], items: { type: "string" } },
  ],
  [
    "an alternative may be null",
    { anyOf: [{ type: "string", minLength: 2, pattern: "a" }, { type: "null" }] },
    { type: ["string", "null"], minLength: 2, pattern: "a" },
  ],
  [
    "alternatives of the same type are kept",
    { anyOf: [{ type: "string", maxLength: 1 }, { type: "string", minLength: 3 }] },
    { anyOf: [{ type: "string", maxLength: 1 }, { type: "string", minLength: 3 }] },
  ],
  [
    "a number and an integer are not merged",
    { anyOf: [{ type: "integer", minimum: 3 }, { type: "number", maximum: 0 }] },
    { anyOf: [{ type: "integer", minimum: 3 }, { type: "number", maximum: 0 }] },
  ],
  [
    "alternatives with a keyword for every type are kept",
    { anyOf: [{ type: "integer", enum: [3] }, { type: "string", const: "a" }] },
    { anyOf: [{ type: "integer", enum: [3] }, { type: "string", const: "a" }] },
  ],
  [
    "alternatives next to a type are kept",
    { type: "string", anyOf: [{ type: "integer" }, { type: "string", minLength: 1 }] },
    { type: "string", anyOf: [{ type: "integer" }, { type: "string", minLength: 1 }] },
  ],
  [
    "a property may have the name of a keyword",
    {
      type: "object",
      properties: { anyOf: { anyOf: [{ type: "string" }, { type: "null" }] }, maximum: { type: "number" } },
    },
    { type: "object", properties: { anyOf: { type: ["string", "null"] }, maximum: { type: "number" } } },
  ],
];

for (const [name, schema, compact] of EQUIVALENT) {
  Deno.test(`${name}`, () => {
    const before = structuredClone(schema);
    assertEquals(compactSchema(schema), compact);
    assertEquals(schema, before);
    assertEquals(accepted(compact, VALUES), accepted(schema, VALUES));
  });
}

Deno.test("loose limits are omitted, tight ones are kept", () => {
  const schema = {
    type: "object",
    properties: {
      title: { type: "string", minLength: 1, maxLength: 500, pattern: "\\S" },
      tags: { type: "array", maxItems: 63, items: { type: "string", maxLength: 200 } },
      offset: { type: "integer", minimum: 0, maximum: 1_000_000_000 },
      top: { type: "integer", minimum: 1, maximum: 50 },
      maximum: { type: "integer" },
      budget: { type: "integer", minimum: 50 },
      replace: { type: "object", properties: { old: { type: "string" } }, additionalProperties: false },
      metadata: { type: "object", properties: {} },
    },
    additionalProperties: false,
  };
  assertEquals(omitLooseLimits(schema), {
    type: "object",
    properties: {
      title: { type: "string" },
      tags: { type: "array", items: { type: "string" } },
      offset: { type: "integer" },
      top: { type: "integer", maximum: 50 },
      maximum: { type: "integer" },
      budget: { type: "integer", minimum: 50 },
      replace: { type: "object", properties: { old: { type: "string" } } },
      metadata: { type: "object" },
    },
  });
  assertEquals(omitLooseLimits({ type: "object", properties: {}, additionalProperties: false }), {
    type: "object",
    properties: {},
  });
});

Deno.test("an input lists alternatives as text, and no loose limits", () => {
  const schema = z.toJSONSchema(
    z.object({
      id: z.union([z.int(), z.string().max(9)]).describe("An id."),
      names: z.union([z.string(), z.array(z.string()).max(9)]).nullable(),
      fields: z.record(z.string().min(1), z.unknown()).optional().describe("Fields."),
      checks: z.array(z.enum(["a"])).min(1),
      count: z.int().nullable(),
    }),
  ) as JsonSchema;
  const before = structuredClone(schema);
  assertEquals(portableInput(schema).properties, {
    id: { type: "string", description: "An id." },
    names: { type: "string" },
    fields: { type: "object", description: "Fields." },
    checks: { type: "array", items: { type: "string", enum: ["a"] } },
    // No text.
    count: { anyOf: [{ type: "integer" }, { type: "null" }] },
  });
  assertEquals(schema, before);
});

for (const [i, tool] of tools.entries()) {
  Deno.test(`the listed schemas of ${tool.name} accept everything that its full schemas accept`, () => {
    const listed = listTools(tools).tools[i]!;
    const full = (schema: z.ZodObject, io: "input" | "output") =>
      z.toJSONSchema(schema, { io, target: "draft-2020-12" }) as JsonSchema;
    for (
      const [name, listing, whole] of [
        ["input", listed.inputSchema, full(tool.input, "input")],
        ["output", listed.outputSchema, full(tool.output, "output")],
      ] as const
    ) {
      for (const args of variants(whole)) {
        const before = accepted(whole, [args]).length;
        const after = accepted(listing, [name === "output" ? args : withTexts(args, whole)]).length;
        const label = `${name} ${JSON.stringify(args)}`;
        if (name === "output") assertEquals(after, before, label);
        // A listed input schema may accept more, because the call is validated (see `omitLooseLimits`).
        else assert(before <= after, label);
      }
    }
  });
}

/** Returns arguments as the list of tools has them: those with alternatives as texts. */
function withTexts(args: Record<string, unknown>, schema: JsonSchema): Record<string, unknown> {
  const properties = schema.properties as Record<string, JsonSchema>;
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, properties[name]?.anyOf ? String(value) : value]),
  );
}

/**
 * Yields objects with each property set to each value in turn, and the other properties to an accepted value.
 */
function* variants(schema: JsonSchema): Generator<Record<string, unknown>> {
  const properties = Object.entries(schema.properties as Record<string, JsonSchema>);
  const valid = Object.fromEntries(
    properties.map(([name, one]) => [name, accepted(one, [...VALUES, "kb", "a".repeat(64)])[0]]),
  );
  yield valid;
  yield { ...valid, unknown: 1 };
  for (const [name] of properties) {
    const { [name]: _, ...without } = valid;
    yield without;
    for (const value of VALUES) yield { ...valid, [name]: value };
  }
}
