import { assert, assertEquals, assertExists } from "@std/assert";
import { openApiDocument, type Route, routes } from "../../src/contract/mod.ts";

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; required: boolean; schema: Record<string, unknown> }[];
  requestBody?: { content: Record<string, { schema: { $ref: string } }> };
  responses: Record<
    string,
    {
      description: string;
      content: Record<string, { schema: { $ref: string } }>;
      headers?: Record<string, unknown>;
    }
  >;
}
interface ObjectSchema {
  properties: Record<string, Record<string, unknown>>;
  required?: string[];
  oneOf?: unknown;
}

// Through JSON, since that is what clients get.
const document = JSON.parse(JSON.stringify(openApiDocument()));
const schemas: Record<string, ObjectSchema> = document.components.schemas;

function operationOf(route: Route): Operation {
  return document.paths[route.path][route.method.toLowerCase()];
}

function resolve(ref: string): ObjectSchema {
  const schema = schemas[ref.replace("#/components/schemas/", "")];
  assertExists(schema, `${ref} leads nowhere`);
  return schema;
}

for (const [name, route] of Object.entries<Route>(routes)) {
  Deno.test(`OpenAPI: ${name} has its input and its response`, () => {
    const operation = operationOf(route);
    assertEquals(operation.operationId, name);
    const success = operation.responses[String(route.status)];
    assertExists(success);
    assert(Object.keys(resolve(success.content["application/json"]!.schema.$ref).properties).length > 0);
    assertEquals(
      (operation.parameters ?? []).filter((each) => each.in === "query").map((each) => each.name),
      Object.keys(route.query?.shape ?? {}),
    );
    assertEquals(
      (operation.parameters ?? []).some((each) => each.in === "path"),
      route.path.includes("{id}"),
    );
    const media = route.json ? "application/json" : route.form ? "multipart/form-data" : undefined;
    assertEquals(Object.keys(operation.requestBody?.content ?? {}), media ? [media] : []);
    if (media) resolve(operation.requestBody!.content[media]!.schema.$ref);
  });
}

Deno.test("OpenAPI: only the routes of the table are documented", () => {
  const count = Object.values<Record<string, unknown>>(document.paths).flatMap(Object.keys).length;
  assertEquals(count, Object.keys(routes).length);
});

Deno.test("OpenAPI: every reference resolves", () => {
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1]!);
  assert(refs.length > 20);
  for (const ref of new Set(refs)) resolve(ref);
});

Deno.test("OpenAPI: the form has its fields and a file, and exactly one of text and file", () => {
  const form = schemas.JobForm!;
  assertEquals(Object.keys(form.properties), [
    "text",
    "title",
    "source_path",
    "tags",
    "overwrite",
    "keep_collection",
    "add_only",
    "file",
  ]);
  assertEquals(form.properties.tags?.type, "array");
  assertEquals(form.properties.file?.contentMediaType, "application/octet-stream");
  assertEquals(form.oneOf, [{ required: ["text"] }, { required: ["file"] }]);
  assertEquals(form.required, undefined);
});

Deno.test("OpenAPI: query parameters have the type of their parsed value, and all are optional", () => {
  const parameters = operationOf(routes.getDocument).parameters!.filter((each) => each.in === "query");
  assertEquals(parameters.map((each) => `${each.name}: ${each.schema.type}`), [
    "chunks: boolean",
    "offset: integer",
    "limit: integer",
    "text: boolean",
    "version: integer",
  ]);
  assert(operationOf(routes.listJobs).parameters!.every((each) => !each.required));
});

Deno.test("OpenAPI: a change has its condition, its author and the errors of both", () => {
  const { parameters = [], responses } = operationOf(routes.updateNote);
  assertEquals(parameters.filter((each) => each.in === "header").map((each) => each.name), [
    "If-Match",
    "X-KB-Actor",
  ]);
  assertExists(responses["200"]?.headers?.ETag);
  assertEquals(
    Object.entries(responses).filter(([status]) => /^4(?:0[49]|12)$/.test(status)).map((each) =>
      each[1].description
    ),
    ["Error: not_found", "Error: not_a_note", "Error: version_conflict"],
  );
});

Deno.test("OpenAPI: a document can be read unless it is known, and a list has no entity tag", () => {
  const { parameters = [], responses } = operationOf(routes.getDocument);
  assertEquals(parameters.filter((each) => each.in === "header").map((each) => each.name), ["If-None-Match"]);
  assertExists(responses["304"]?.headers?.ETag);
  assertEquals(operationOf(routes.listDocuments).responses["200"]?.headers, undefined);
});

Deno.test("OpenAPI: fields with a default are optional", () => {
  assertEquals(schemas.SearchRequest?.required, ["query"]);
  assertEquals(schemas.TagChange?.required, undefined);
});

Deno.test("OpenAPI: contract 3.1 adds remove_prefix to a tag change and metadata to a document", () => {
  assertEquals(schemas.TagChange?.properties.remove_prefix?.type, "string");
  assert("metadata" in schemas.Document!.properties);
  assert(!schemas.Document!.required?.includes("metadata"));
});

Deno.test("OpenAPI: contract 3.2 adds the language to a document, a result and a search", () => {
  for (const schema of ["Document", "SearchRequest"]) {
    assert("language" in schemas[schema]!.properties);
    assert(!schemas[schema]!.required?.includes("language"));
  }
});

Deno.test("OpenAPI: each route lists its errors", () => {
  const statuses = (route: Route) => Object.keys(operationOf(route).responses).map(Number);
  assertEquals(statuses(routes.status), [200, 401, 403, 500, 503]);
  assertEquals(statuses(routes.updateNote), [
    200,
    400,
    401,
    403,
    404,
    408,
    409,
    412,
    413,
    415,
    500,
    503,
    507,
  ]);
});
