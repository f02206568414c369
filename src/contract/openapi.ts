import * as z from "zod";
import { DocumentEdit, EditedDocument } from "./document_edit.ts";
import { DocumentList, DocumentListRequest } from "./document_list.ts";
import { DeletedDocument, Document, DocumentPage, DocumentTags, NotePatch, TagChange } from "./documents.ts";
import { RestoredDocument, RestoreRequest, RevisionPage, TrashPage } from "./revisions.ts";
import { SimilarNotes, SimilarRequest } from "./similar_notes.ts";
import { ERROR_STATUS, ErrorBody, type ErrorCode } from "./errors.ts";
import { ImportRequest, ImportResponse } from "./import.ts";
import { Job, JobAccepted, JobForm, JobPage } from "./jobs.ts";
import { CONTRACT_VERSION } from "./primitives.ts";
import { MAX_ACTOR_CHARS } from "./rules/limits.ts";
import { type Route, routes } from "./routes.ts";
import { SearchRequest, SearchResponse } from "./search.ts";
import {
  NewSource,
  NewSourceFile,
  RemovedSource,
  Source,
  SourceList,
  SyncRequest,
  WrittenFile,
} from "./sources.ts";
import { EngineStatus } from "./status.ts";

type Json = Record<string, unknown>;

/** Request schemas by their component name. */
const REQUESTS = {
  DocumentEdit,
  DocumentListRequest,
  ImportRequest,
  JobForm,
  NewSource,
  NewSourceFile,
  NotePatch,
  RestoreRequest,
  SearchRequest,
  SimilarRequest,
  SyncRequest,
  TagChange,
};
/** Response schemas by their component name. */
const RESPONSES = {
  DeletedDocument,
  Document,
  DocumentList,
  DocumentPage,
  DocumentTags,
  EditedDocument,
  EngineStatus,
  ErrorBody,
  ImportResponse,
  Job,
  JobAccepted,
  JobPage,
  RemovedSource,
  RestoredDocument,
  RevisionPage,
  SearchResponse,
  SimilarNotes,
  Source,
  SourceList,
  TrashPage,
  WrittenFile,
};
const NAMES = new Map<z.ZodType, string>(
  Object.entries({ ...REQUESTS, ...RESPONSES }).map(([name, schema]) => [schema, name]),
);

/**
 * Builds the contract's OpenAPI 3.1 document from the route table and its schemas. This takes milliseconds,
 * so keep the result.
 *
 * @example
 * ```ts
 * import { openApiDocument } from "./openapi.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(openApiDocument().openapi, "3.1.0");
 * ```
 */
export function openApiDocument(): Record<string, unknown> {
  const paths: Record<string, Json> = {};
  for (const [operationId, route] of Object.entries<Route>(routes)) {
    (paths[route.path] ??= {})[route.method.toLowerCase()] = operation(operationId, route);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Knowledge base engine",
      version: CONTRACT_VERSION,
      description:
        "Documents, notes and files that agents search. Ids are opaque; unknown fields may be added.",
    },
    servers: [{ url: "/" }],
    // The empty alternative: an engine without an API key requires none.
    security: [{ bearer: [] }, {}],
    paths,
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
      schemas: {
        ...componentSchemas(REQUESTS, "input"),
        ...componentSchemas(RESPONSES, "output"),
        JobForm: formSchema(),
      },
    },
  };
}

function operation(operationId: string, route: Route): Json {
  const hasId = route.path.includes("{id}");
  const parameters = [
    ...hasId ? [{ name: "id", in: "path", required: true, schema: { type: "string" } }] : [],
    ...route.query ? queryParameters(route.query) : [],
    ...headerParameters(route),
  ];
  const body = route.json ? { "application/json": { schema: reference(route.json) } } : route.form
    // A list is several parts of the same name (RFC 7578 §4.3), which is an array in OpenAPI 3.1.
    ? { "multipart/form-data": { schema: reference(route.form) } }
    : undefined;
  return {
    operationId,
    summary: route.summary,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: { required: true, content: body } } : {}),
    responses: {
      [route.status]: {
        ...response(route.status === 202 ? "Accepted" : "Done", route.response),
        ...(route.etag ? { headers: ETAG } : {}),
      },
      ...(route.etag && route.safe ? { 304: { description: "Not modified", headers: ETAG } } : {}),
      ...errorResponses(route, hasId),
    },
  };
}

function queryParameters(query: z.ZodObject): Json[] {
  // OpenAPI describes parameters by their parsed value (a number, a boolean).
  const { properties = {} } = z.toJSONSchema(query, { io: "output" });
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: !query.shape[name]?.safeParse(undefined).success,
    schema,
  }));
}

const ETAG = {
  ETag: {
    description: 'Version of the document in quotation marks, such as "3"',
    schema: { type: "string" },
  },
};

/** Headers of conditional requests (RFC 9110 §13), and the name of who makes a change. */
function headerParameters({ safe, etag, ifMatch }: Route): Json[] {
  const header = (name: string, description: string) => ({
    name,
    in: "header",
    required: false,
    description,
    schema: { type: "string" },
  });
  return [
    ...safe && etag ? [header("If-None-Match", "Entity tags: 304 if the document has one of them.")] : [],
    ...ifMatch
      ? [header("If-Match", "Entity tags: 412 unless the document has one of them. Since 3.3.")]
      : [],
    ...safe ? [] : [
      header(
        "X-KB-Actor",
        `Who makes the change, for the history: at most ${MAX_ACTOR_CHARS} characters, percent-encoded UTF-8. Since 3.3.`,
      ),
    ],
  ];
}

/** One response per error status of a route, described by its error codes. */
function errorResponses(route: Route, hasId: boolean): Json {
  const codes: ErrorCode[] = [
    "unauthorized",
    "host_not_allowed",
    "internal",
    "storage_damaged",
    "shutting_down",
  ];
  const hasBody = route.json !== undefined || route.form !== undefined;
  if (hasBody || route.query || route.etag || !route.safe) codes.push("invalid");
  if (hasBody) codes.push("timeout", "too_large", "unsupported_media_type");
  if (hasId) codes.push("not_found");
  if (route.form) codes.push("queue_full");
  if (!route.safe) codes.push("storage_full", "read_only");
  if (route.ifMatch) codes.push("version_conflict");
  codes.push(...route.errors ?? []);
  const byStatus = Map.groupBy(codes, (code) => ERROR_STATUS[code]);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [status, response(`Error: ${group.join(" or ")}`, ErrorBody)]),
  );
}

function response(description: string, schema: z.ZodType): Json {
  return { description, content: { "application/json": { schema: reference(schema) } } };
}

function reference(schema: z.ZodType): Json {
  const name = NAMES.get(schema);
  if (name === undefined) throw new Error("Every schema of a route must have a name in openapi.ts");
  return { $ref: componentUri(name) };
}

function componentUri(name: string): string {
  return `#/components/schemas/${name}`;
}

function componentSchemas(schemas: Record<string, z.ZodType>, io: "input" | "output"): Record<string, Json> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const jsonSchemas = z.toJSONSchema(registry, { io, uri: componentUri }).schemas;
  // `$id` would give each schema its own base URI, and break the references between them.
  return Object.fromEntries(
    Object.entries(jsonSchemas).map(([name, { $id: _, $schema: __, ...schema }]) => [name, schema]),
  );
}

/** Fields of the form, and its file. Exactly one of `text` and `file` is required. */
function formSchema(): Json {
  const { $schema: _, properties, ...fields } = z.toJSONSchema(JobForm, { io: "input" });
  return {
    ...fields,
    properties: {
      ...properties,
      file: { type: "string", contentMediaType: "application/octet-stream", description: "The file's bytes" },
    },
    oneOf: [{ required: ["text"] }, { required: ["file"] }],
  };
}
