import { basename, join, resolve } from "node:path";
import * as z from "zod";
import { EvaluationError } from "./errors.ts";
import { readLines } from "./lines.ts";
import type { Judgements } from "./metrics.ts";

/** File names in the formats of kb-mcp, BEIR and TREC, in order of precedence. */
const DOCUMENT_FILES = ["docs.jsonl", "corpus.jsonl"];
const QUERY_FILES = ["queries.jsonl"];
const QRELS_FILES = ["qrels.tsv", "qrels/test.tsv", "qrels.txt", "qrels"];

/** Maximum numbers of queries and judgements, which are held in memory; documents are not. */
const MAX_QUERIES = 100_000;
const MAX_JUDGEMENTS = 5_000_000;

/** A document of a test collection. */
export interface CollectionDocument {
  readonly id: string;
  /** Empty: no title. */
  readonly title: string;
  /** Empty: only a title. A document without either is empty. */
  readonly text: string;
  /** Language tag; undefined: unknown. */
  readonly language: string | undefined;
}

/** A query with its relevance judgements. */
export interface JudgedQuery {
  readonly id: string;
  readonly text: string;
  /** Language tag; undefined: unknown. */
  readonly language: string | undefined;
  /** At least one document is relevant. */
  readonly judgements: Judgements;
}

/** A test collection: documents, queries and relevance judgements (qrels). */
export interface TestCollection {
  /** Name of its folder. */
  readonly name: string;
  /** Reads the documents one by one. Undefined: the judgements refer to an existing knowledge base. */
  readonly documents: (() => AsyncGenerator<CollectionDocument>) | undefined;
  readonly queries: readonly JudgedQuery[];
  /** Number of skipped queries, which have no relevant document. */
  readonly skipped: number;
}

/** An id: text, or a number as in many collections. */
const Key = z.union([z.string().min(1), z.number()]).transform(String);
/** BEIR names it `_id`. */
const Identified = z.looseObject({ id: Key.optional(), _id: Key.optional() });
/** Language of a text, reported as written: `en`, `pt-BR`. */
const Language = z.string().min(1).max(35).nullish();
const DocumentLine = Identified.extend({
  title: z.string().nullish(),
  text: z.string().nullish(),
  language: Language,
});
const QueryLine = Identified.extend({
  text: z.string().regex(/\S/, "must not be empty"),
  language: Language,
});

/**
 * Reads a test collection from a folder with `queries.jsonl` (`{"id", "text"}`), `qrels.tsv` (query,
 * document, relevance) and, optionally, `docs.jsonl` (`{"id", "title", "text"}`). Documents and queries may
 * have a `"language"`. Also accepts the formats of BEIR (`corpus.jsonl`, `_id`, `qrels/test.tsv` with a header) and TREC (four columns).
 *
 * @throws {EvaluationError} With the file and line that cannot be used.
 */
export async function readTestCollection(path: string): Promise<TestCollection> {
  const qrels = await find(path, QRELS_FILES);
  const queriesFile = await find(path, QUERY_FILES);
  if (qrels === undefined || queriesFile === undefined) {
    throw new EvaluationError(
      `${path} must be a folder with queries.jsonl and qrels.tsv (and docs.jsonl, unless you evaluate your knowledge base); ` +
        `it contains no ${qrels === undefined ? "qrels.tsv" : "queries.jsonl"}`,
    );
  }
  const qrelsByQuery = await readQrels(qrels);
  const queries: JudgedQuery[] = [];
  const seen = new Set<string>();
  for await (const { location, value } of readJson(queriesFile, QueryLine)) {
    const id = idOf(value, location, seen);
    if (seen.size > MAX_QUERIES) {
      throw new EvaluationError(`${location}: the file must have at most ${MAX_QUERIES} queries`);
    }
    const judgements = qrelsByQuery.get(id) ?? new Map();
    if ([...judgements.values()].some((relevance) => relevance > 0)) {
      queries.push({ id, text: value.text, language: value.language ?? undefined, judgements });
    }
  }
  if (queries.length === 0) {
    throw new EvaluationError(
      `${qrels} must contain a relevant document for at least one query of ${queriesFile}: check that both use the same ids`,
    );
  }
  const documents = await find(path, DOCUMENT_FILES);
  return {
    name: basename(resolve(path)),
    documents: documents === undefined ? undefined : () => readDocuments(documents),
    queries,
    skipped: seen.size - queries.length,
  };
}

async function* readDocuments(path: string): AsyncGenerator<CollectionDocument> {
  const seen = new Set<string>();
  for await (const { location, value } of readJson(path, DocumentLine)) {
    yield {
      id: idOf(value, location, seen),
      title: value.title?.trim() ?? "",
      text: value.text?.trim() ?? "",
      language: value.language ?? undefined,
    };
  }
}

/** Returns the judgements by query id. */
async function readQrels(path: string): Promise<Map<string, Map<string, number>>> {
  const byQuery = new Map<string, Map<string, number>>();
  let count = 0;
  let isFirst = true;
  for await (const { text, location } of readLines(path)) {
    // Document paths may contain spaces, so tabs take precedence.
    const columns = text.trim().split(text.includes("\t") ? "\t" : /\s+/).map((column) => column.trim());
    const [query = "", document = ""] = columns.length === 4 ? [columns[0], columns[2]] : columns;
    const relevance = columns.at(-1) ?? "";
    const isHeader = isFirst && !/\d/.test(relevance);
    isFirst = false;
    if (isHeader) continue;
    if ((columns.length !== 3 && columns.length !== 4) || !/^-?\d+$/.test(relevance)) {
      throw new EvaluationError(
        `${location} must be query, document and relevance (a whole number), separated by tabs, got ${
          JSON.stringify(text.slice(0, 100))
        }`,
      );
    }
    if (++count > MAX_JUDGEMENTS) {
      throw new EvaluationError(`${location}: the file must have at most ${MAX_JUDGEMENTS} judgements`);
    }
    let judgements = byQuery.get(query);
    if (!judgements) byQuery.set(query, judgements = new Map());
    judgements.set(document, Number(relevance));
  }
  return byQuery;
}

async function* readJson<T>(
  path: string,
  schema: z.ZodType<T>,
): AsyncGenerator<{ location: string; value: T }> {
  for await (const { text, location } of readLines(path)) {
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch (cause) {
      throw new EvaluationError(`${location} must be one JSON object`, { cause });
    }
    const { success, data, error } = schema.safeParse(json);
    if (!success) {
      const [issue] = error.issues;
      throw new EvaluationError(`${location}: ${issue?.path.join(".") || "the line"}: ${issue?.message}`);
    }
    yield { location, value: data };
  }
}

function idOf(
  { id, _id }: z.infer<typeof Identified>,
  location: string,
  seen: Set<string>,
): string {
  const key = id ?? _id;
  if (key === undefined) throw new EvaluationError(`${location} must have an id`);
  if (seen.has(key)) throw new EvaluationError(`${location}: id ${JSON.stringify(key)} must be unique`);
  seen.add(key);
  return key;
}

/** Returns the path of the first name that is a file in the folder. */
async function find(folder: string, names: readonly string[]): Promise<string | undefined> {
  for (const name of names) {
    const path = join(folder, name);
    const info = await Deno.stat(path).catch(() => undefined);
    if (info?.isFile) return path;
  }
  return undefined;
}
