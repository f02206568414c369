import { EngineStatus, type Id, Job, type RouteName, SearchResponse } from "../../contract/mod.ts";

type Fields = Record<string, unknown>;

/** Optional fields of a search response. A third-party engine may use their names for something else. */
const SEARCH_FIELDS = SearchResponse.pick({
  total: true,
  next_cursor: true,
  corrections: true,
  unknown_words: true,
  cut: true,
  filters_applied: true,
  only_similar: true,
  vectors: true,
}).shape;
/** Optional fields of an accepted job. */
const JOB_FIELDS = Job.omit({ job_id: true, status: true }).shape;
/** Optional fields of a status. */
const STATUS_FIELDS = EngineStatus.pick({ vectors: true, sources: true, extraction: true }).shape;

/**
 * Renames the fields of a third-party engine's response to those of the contract: names of ids, envelopes of
 * listings, `content` for `text`, absent tags. Drops optional fields of another type. Keeps all unknown
 * fields.
 *
 * Never throws: the schema rejects the rest.
 */
export function normalize(name: RouteName, body: unknown, id: Id | undefined): unknown {
  switch (name) {
    case "status":
      return withoutHomonyms(STATUS_FIELDS, status(body));
    case "search":
      return withoutHomonyms(SEARCH_FIELDS, listing("results", body, result));
    case "createJob":
      return isFields(body)
        ? withoutHomonyms(JOB_FIELDS, { status: "queued", ...withId("job_id", body) })
        : body;
    case "getJob":
    case "cancelJob":
    case "retryJob":
      return withId("job_id", body);
    case "listJobs":
      return listing("jobs", body, (job) => withId("job_id", job));
    case "listDocuments":
    case "queryDocuments":
    case "listTrash":
      return listing("documents", body, document);
    case "importDocuments":
    case "similarNotes":
    case "listRevisions":
    case "listSources":
    case "addSource":
    case "getSource":
    case "removeSource":
    case "syncSource":
    case "writeSourceFile":
      return body;
    case "getDocument":
    case "editDocument":
    case "updateNote":
    case "restoreDocument":
      return document(body);
    case "changeTags":
      return isFields(body) ? { document_id: id, ...withId("document_id", body) } : body;
    case "deleteDocument":
      return isFields(body) ? deletion({ document_id: id, ...withId("document_id", body) }) : body;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Renames `id` to the contract's name. Leaves values other than objects unchanged. */
function withId(key: string, value: unknown): Fields {
  if (!isFields(value)) return value as Fields;
  if (value[key] !== undefined || value["id"] === undefined) return value;
  const { id, ...rest } = value;
  return { ...rest, [key]: id };
}

function withTags(value: Fields): Fields {
  return isFields(value) && (value["tags"] === undefined || value["tags"] === null)
    ? { ...value, tags: [] }
    : value;
}

function chunk(value: unknown): Fields {
  const fields = withId("chunk_id", value);
  if (!isFields(fields) || fields["text"] !== undefined || typeof fields["content"] !== "string") {
    return fields;
  }
  const { content, ...rest } = fields;
  return { ...rest, text: content };
}

function result(value: unknown): Fields {
  return withTags(chunk(value));
}

function document(value: unknown): Fields {
  const fields = withTags(withId("document_id", value));
  if (!isFields(fields)) return fields;
  const { chunks, title = null } = fields;
  return Array.isArray(chunks) ? { ...fields, title, chunks: chunks.map(chunk) } : { ...fields, title };
}

/** Accepts rows under `key`, `items` or `results` of an object, or as a bare array. */
function listing(key: string, value: unknown, row: (item: unknown) => unknown): unknown {
  if (Array.isArray(value)) return { [key]: value.map(row) };
  if (!isFields(value)) return value;
  const from = [key, "items", "results"].find((name) => Array.isArray(value[name]));
  if (from === undefined) return value;
  const { [from]: rows, ...rest } = value;
  return { ...rest, [key]: (rows as unknown[]).map(row) };
}

/**
 * Accepts `deleted`, `ok` or `success` as status or as a field that is true. Any other body leaves open whether
 * the document was deleted, so the schema rejects it.
 */
function deletion(body: Fields): Fields {
  const { status, ...rest } = body;
  const words = ["deleted", "ok", "success"];
  const flags = words.map((name) => body[name]).filter((flag) => flag !== undefined);
  const isConfirmed = status === undefined
    ? flags.length > 0
    : typeof status === "string" && words.includes(status.toLowerCase());
  return isConfirmed && flags.every((flag) => flag === true)
    ? { ...rest, status: "deleted" }
    : { ...rest, status };
}

/** Optional fields with their schemas. */
type OptionalFields = Record<string, { safeParse(value: unknown): { success: boolean } }>;

/** Drops optional fields whose value has another type than the contract's. */
function withoutHomonyms(optional: OptionalFields, body: unknown): unknown {
  if (!isFields(body)) return body;
  const isHomonym = ([name, value]: [string, unknown]) =>
    Object.hasOwn(optional, name) && !optional[name]!.safeParse(value).success;
  const fields = Object.entries(body);
  return fields.some(isHomonym) ? Object.fromEntries(fields.filter((field) => !isHomonym(field))) : body;
}

/** Accepts document counts that are a single number, or have no breakdown. */
function status(value: unknown): unknown {
  if (!isFields(value)) return value;
  const { documents } = value;
  if (typeof documents === "number") {
    return { ...value, documents: { total: documents, by_type: {}, by_collection: {} } };
  }
  return isFields(documents)
    ? { ...value, documents: { by_type: {}, by_collection: {}, ...documents } }
    : value;
}
