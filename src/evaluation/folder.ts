import { basename, join, resolve } from "node:path";
import * as z from "zod";
import { EvalError } from "./errors.ts";
import { readLines } from "./lines.ts";
import type { Judged } from "./metrics.ts";

/** Names that the files go by: ours, then BEIR's, then TREC's. */
const DOCUMENT_FILES = ["docs.jsonl", "corpus.jsonl"];
const QUERY_FILES = ["queries.jsonl"];
const QRELS_FILES = ["qrels.tsv", "qrels/test.tsv", "qrels.txt", "qrels"];

/** Most queries of a set, and most judgements. They are held in memory; documents are not. */
const MAX_QUERIES = 100_000;
const MAX_JUDGEMENTS = 5_000_000;

/** A document to search in. */
export interface EvalDocument {
  readonly id: string;
  /** Empty: it has none. */
  readonly title: string;
  /** Empty: the title is all there is. */
  readonly text: string;
}

/** A question, and which documents answer it. */
export interface EvalQuery {
  readonly id: string;
  readonly text: string;
  /** Keys of documents; at least one is relevant. */
  readonly judged: Judged;
}

/** A set of documents, questions and judgements. */
export interface EvalSet {
  /** Name of its folder. */
  readonly name: string;
  /** Reads the documents one by one. Undefined: the folder has none, so the judgements are about a knowledge base. */
  readonly documents: (() => AsyncGenerator<EvalDocument>) | undefined;
  readonly queries: readonly EvalQuery[];
  /** Queries left out because no document is relevant to them. */
  readonly skipped: number;
}

/** An id is text; numbers are common in the wild. `_id` is BEIR's. */
const Key = z.union([z.string().min(1), z.number()]).transform(String);
const Identified = z.looseObject({ id: Key.optional(), _id: Key.optional() });
const DocumentLine = Identified.extend({ title: z.string().nullish(), text: z.string().nullish() });
const QueryLine = Identified.extend({ text: z.string().regex(/\S/, "must not be empty") });

/**
 * Reads a folder of `docs.jsonl` (`{"id", "title", "text"}`), `queries.jsonl` (`{"id", "text"}`) and `qrels.tsv` (query,
 * document, relevance). BEIR's spelling (`corpus.jsonl`, `_id`, `qrels/test.tsv` with a header) and TREC's four columns do as
 * well. The documents are read later, and may be missing.
 *
 * @throws {EvalError} With file and line of what cannot be used.
 */
export async function readSet(path: string): Promise<EvalSet> {
  const qrels = await find(path, QRELS_FILES);
  const queriesFile = await find(path, QUERY_FILES);
  if (qrels === undefined || queriesFile === undefined) {
    throw new EvalError(
      `${path} must be a folder with queries.jsonl and qrels.tsv (and docs.jsonl, unless your knowledge base is to be measured); ` +
        `it has no ${qrels === undefined ? "qrels.tsv" : "queries.jsonl"}`,
    );
  }
  const judgements = await readJudgements(qrels);
  const queries: EvalQuery[] = [];
  const seen = new Set<string>();
  for await (const { place, value } of readJson(queriesFile, QueryLine)) {
    const id = idOf(value, place, seen);
    if (seen.size > MAX_QUERIES) throw new EvalError(`${place}: at most ${MAX_QUERIES} queries are taken`);
    const judged = judgements.get(id) ?? new Map();
    if ([...judged.values()].some((relevance) => relevance > 0)) {
      queries.push({ id, text: value.text, judged });
    }
  }
  if (queries.length === 0) {
    throw new EvalError(
      `${qrels} must name a relevant document for at least one query of ${queriesFile}: check that both use the same ids`,
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

async function* readDocuments(path: string): AsyncGenerator<EvalDocument> {
  const seen = new Set<string>();
  for await (const { place, value } of readJson(path, DocumentLine)) {
    const [title, text] = [value.title?.trim() ?? "", value.text?.trim() ?? ""];
    if (title === "" && text === "") throw new EvalError(`${place}: title or text must not be empty`);
    yield { id: idOf(value, place, seen), title, text };
  }
}

async function readJudgements(path: string): Promise<Map<string, Map<string, number>>> {
  const judgements = new Map<string, Map<string, number>>();
  let count = 0;
  let isFirst = true;
  for await (const { text, place } of readLines(path)) {
    // Paths of documents may have spaces in them; then the columns must be separated by tabs.
    const columns = text.trim().split(text.includes("\t") ? "\t" : /\s+/).map((column) => column.trim());
    const [query = "", document = ""] = columns.length === 4 ? [columns[0], columns[2]] : columns;
    const relevance = columns.at(-1) ?? "";
    const isHeader = isFirst && !/\d/.test(relevance);
    isFirst = false;
    if (isHeader) continue;
    if ((columns.length !== 3 && columns.length !== 4) || !/^-?\d+$/.test(relevance)) {
      throw new EvalError(
        `${place} must be query, document and relevance (a whole number), separated by tabs, got ${
          JSON.stringify(text.slice(0, 100))
        }`,
      );
    }
    if (++count > MAX_JUDGEMENTS) {
      throw new EvalError(`${place}: at most ${MAX_JUDGEMENTS} judgements are taken`);
    }
    let judged = judgements.get(query);
    if (!judged) judgements.set(query, judged = new Map());
    judged.set(document, Number(relevance));
  }
  return judgements;
}

async function* readJson<T>(
  path: string,
  schema: z.ZodType<T>,
): AsyncGenerator<{ place: string; value: T }> {
  for await (const { text, place } of readLines(path)) {
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch (cause) {
      throw new EvalError(`${place} must be one JSON object`, { cause });
    }
    const { success, data, error } = schema.safeParse(json);
    if (!success) {
      const [issue] = error.issues;
      throw new EvalError(`${place}: ${issue?.path.join(".") || "the line"}: ${issue?.message}`);
    }
    yield { place, value: data };
  }
}

function idOf(
  { id, _id }: z.infer<typeof Identified>,
  place: string,
  seen: Set<string>,
): string {
  const key = id ?? _id;
  if (key === undefined) throw new EvalError(`${place} must have an id`);
  if (seen.has(key)) throw new EvalError(`${place}: id ${JSON.stringify(key)} must be unique`);
  seen.add(key);
  return key;
}

/** The first of the names that is a file in the folder. */
async function find(folder: string, names: readonly string[]): Promise<string | undefined> {
  for (const name of names) {
    const path = join(folder, name);
    const info = await Deno.stat(path).catch(() => undefined);
    if (info?.isFile) return path;
  }
  return undefined;
}
