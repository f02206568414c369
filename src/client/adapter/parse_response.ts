import * as z from "zod";
import { DocumentTags, type Id, type RouteName, routes } from "../../contract/mod.ts";

/** Schemas of the responses. Tags of a change may be absent: they are requested then. */
const schemas = {
  ...Object.fromEntries(Object.entries(routes).map(([name, route]) => [name, route.response])) as {
    readonly [Name in RouteName]: (typeof routes)[Name]["response"];
  },
  changeTags: DocumentTags.partial({ tags: true }),
};

/** Result of a route. */
export type RouteResult<Name extends RouteName> = z.output<(typeof schemas)[Name]>;

/** A response, or the path of its first field outside the contract. */
export type ParsedResponse<Name extends RouteName> =
  | { readonly result: RouteResult<Name> }
  | { readonly invalid: string; readonly cause?: unknown };

/** Fields with the rows of a listing. */
const ROWS: Partial<Record<RouteName, readonly string[]>> = {
  search: ["results"],
  listJobs: ["jobs"],
  listDocuments: ["documents"],
  queryDocuments: ["documents", "groups"],
  similarNotes: ["similar"],
  importDocuments: ["results"],
  getDocument: ["chunks"],
  updateNote: ["chunks"],
  listRevisions: ["revisions"],
  listTrash: ["documents"],
  restoreDocument: ["chunks"],
  listSources: ["sources"],
};

/**
 * Field with the id that the call has named, where another one would confirm something else. A document may be
 * read by an alias of its id.
 */
const IDS: Partial<Record<RouteName, string>> = {
  getJob: "job_id",
  cancelJob: "job_id",
  retryJob: "job_id",
  editDocument: "document_id",
  updateNote: "document_id",
  changeTags: "document_id",
  deleteDocument: "document_id",
  listRevisions: "document_id",
  restoreDocument: "document_id",
  getSource: "source_id",
  removeSource: "source_id",
  syncSource: "source_id",
};

/** Validates a normalized response. The confirmation of a change to
 * another document than `id` is invalid. */
export function parseResponse<Name extends RouteName>(
  name: Name,
  body: unknown,
  id: Id | undefined,
): ParsedResponse<Name> {
  // Rows are validated one by one, because zod lists every problem of every row: 100,000 wrong rows would
  // take hundreds of megabytes.
  const rowFields = (ROWS[name] ?? []).filter((rowsField) => Array.isArray(field(body, rowsField)));
  const withoutRows = Object.fromEntries(rowFields.map((rowsField) => [rowsField, []]));
  const head = rowFields.length > 0 ? { ...body as object, ...withoutRows } : body;
  const excess = excessIn(head);
  if (excess !== undefined) return { invalid: excess };
  const parsed = schemas[name].safeParse(head);
  if (!parsed.success) return problem([], parsed.error);
  const result = parsed.data as Record<string, unknown>;
  for (const rowsField of rowFields) {
    const row = rowSchema(name, rowsField);
    const valid: unknown[] = [];
    for (const [index, value] of (field(body, rowsField) as unknown[]).entries()) {
      const excess = excessIn(value);
      if (excess !== undefined) return { invalid: `${rowsField}.${index}.${excess}` };
      const parsedRow = row.safeParse(value);
      if (!parsedRow.success) return problem([rowsField, index], parsedRow.error);
      valid.push(parsedRow.data);
    }
    result[rowsField] = valid;
  }
  const idField = IDS[name];
  if (idField !== undefined && id !== undefined && !isSameId(result[idField], id)) {
    return { invalid: idField };
  }
  return { result: result as RouteResult<Name> };
}

/** Maximum number of front matter fields. */
const MAX_METADATA_FIELDS = 10_000;
const TEXT_LISTS = ["tags", "heading_path"];

/**
 * Returns the path of a wrong value that zod would need seconds for: it describes every wrong item of a list,
 * and copies a record slowly.
 */
function excessIn(record: unknown): string | undefined {
  for (const name of TEXT_LISTS) {
    const list = field(record, name);
    const index = Array.isArray(list) ? list.findIndex((item) => typeof item !== "string") : -1;
    if (index >= 0) return `${name}.${index}`;
  }
  const metadata = field(record, "metadata");
  const isTooLarge = typeof metadata === "object" && metadata !== null &&
    Object.keys(metadata).length > MAX_METADATA_FIELDS;
  return isTooLarge ? "metadata" : undefined;
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function rowSchema(name: RouteName, rowsField: string): z.ZodType {
  let schema: unknown = (schemas[name] as z.ZodObject).shape[rowsField];
  if (schema instanceof z.ZodOptional) schema = schema.unwrap();
  return (schema as z.ZodArray<z.ZodType>).element;
}

function problem(path: readonly PropertyKey[], error: z.ZodError) {
  const invalid = [...path, ...error.issues[0]?.path ?? []].map(String).join(".") || "the top level";
  return { invalid, cause: error };
}

/** Engines may rewrite an id: `007` to 7, or the letters of a UUID to lower case. */
function isSameId(a: unknown, b: Id): boolean {
  const canonical = (id: unknown) => String(id).toLowerCase().replace(/^0+(?=\d+$)/, "");
  return canonical(a) === canonical(b);
}
