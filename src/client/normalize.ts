/**
 * Engines from elsewhere say the same things in slightly other words. Before an answer is held to the contract it is
 * brought into the contract's words: names of ids, envelopes of listings, `content` for `text`, absent tags. What has the
 * name of something that is not needed, and is something else, is left out. What is not known here passes through as it is.
 */
import { EngineStatus, type Id, type RouteName, SearchResponse } from "../contract/mod.ts";

type Fields = Record<string, unknown>;

/** What an answer to a search says beside its results. */
const SEARCH_REMARKS = SearchResponse.pick({
  total: true,
  next_cursor: true,
  corrections: true,
  cut: true,
  filters_applied: true,
  vectors: true,
}).shape;
const STATUS_REMARKS = EngineStatus.pick({ vectors: true }).shape;

/** Brings an answer into the contract's words. Never throws; what does not fit is left for the schema to refuse. */
export function normalize(name: RouteName, answer: unknown, id: Id | undefined): unknown {
  switch (name) {
    case "status":
      return withoutHomonyms(STATUS_REMARKS, status(answer));
    case "search":
      return withoutHomonyms(SEARCH_REMARKS, page("results", answer, result));
    case "createJob":
      return isFields(answer) ? { status: "queued", ...named("job_id", answer) } : answer;
    case "getJob":
      return named("job_id", answer);
    case "listJobs":
      return page("jobs", answer, (job) => named("job_id", job));
    case "listDocuments":
      return page("documents", answer, document);
    case "getDocument":
    case "updateNote":
      return document(answer);
    case "changeTags":
      return isFields(answer) ? withTags({ document_id: id, ...named("document_id", answer) }) : answer;
    case "deleteDocument":
      // Success is said by the HTTP status; bodies of DELETE differ, down to none at all.
      return isFields(answer)
        ? { document_id: id, ...named("document_id", answer), status: "deleted" }
        : answer;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object with its `id` under the contract's name. What is not an object stays what it is. */
function named(key: string, value: unknown): Fields {
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
  const fields = named("chunk_id", value);
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
  const fields = withTags(named("document_id", value));
  if (!isFields(fields)) return fields;
  const { chunks, title = null } = fields;
  return Array.isArray(chunks) ? { ...fields, title, chunks: chunks.map(chunk) } : { ...fields, title };
}

/** A listing: an object with the rows under `key`, `items` or `results`, or the rows alone. */
function page(key: string, value: unknown, row: (item: unknown) => unknown): unknown {
  if (Array.isArray(value)) return { [key]: value.map(row) };
  if (!isFields(value)) return value;
  const from = [key, "items", "results"].find((name) => Array.isArray(value[name]));
  if (from === undefined) return value;
  const { [from]: rows, ...rest } = value;
  return { ...rest, [key]: (rows as unknown[]).map(row) };
}

/** Fields that may be left out, with what they are in the contract. */
type Optional = Record<string, { safeParse(value: unknown): { success: boolean } }>;

/** An answer without fields that are called like one of the contract and are something else. */
function withoutHomonyms(optional: Optional, answer: unknown): unknown {
  if (!isFields(answer)) return answer;
  const isHomonym = ([name, value]: [string, unknown]) =>
    Object.hasOwn(optional, name) && !optional[name]!.safeParse(value).success;
  const fields = Object.entries(answer);
  return fields.some(isHomonym) ? Object.fromEntries(fields.filter((field) => !isHomonym(field))) : answer;
}

/** Counts of documents may be a number alone, or lack their break-downs. */
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
