import { type EngineClient, EngineError } from "../client/mod.ts";
import { ImportedDocument, type ImportResult, MAX_IMPORTED_DOCUMENTS } from "../contract/mod.ts";
import { requirementOf } from "../text/mod.ts";
import type { ImportItem } from "./import_items.ts";
import { uploadFile } from "./upload_file.ts";

/** Maximum length of the texts of a request, in UTF-16 code units. A longer text has a request of its own. */
const MAX_BATCH_CHARS = 2_000_000;
/** Maximum number of chunks of a request. */
const MAX_BATCH_CHUNKS = 10_000;
/** Maximum number of chunks of a document in a request, whose number of values is limited. The engine makes others. */
const MAX_CHUNKS = 25_000;
/** Timeout of a request in milliseconds. */
const TIMEOUT_MS = 300_000;
/** Delays before a request is repeated, in milliseconds. */
const RETRY_DELAYS_MS = [500, 2_000, 8_000];
/** Name under which imports change documents, for their history. */
const ACTOR = "kb-mcp import";

/** Options of {@linkcode runImport}. */
export interface RunOptions {
  /** Makes stored documents equal to the imported ones. @default {false} */
  readonly exact?: boolean;
  /** Replaces documents of another kind at the same path. @default {false} */
  readonly overwrite?: boolean;
  /** Reads everything, and changes nothing. @default {false} */
  readonly dryRun?: boolean;
  /** Called after each item. */
  readonly onProgress?: (report: ImportReport) => void;
  readonly signal?: AbortSignal;
}

/** Result of an import. Each item counts once. */
export interface ImportReport {
  created: number;
  updated: number;
  unchanged: number;
  /** Left out on purpose: reasons with their numbers are in `skips`. */
  skipped: number;
  failed: number;
  readonly skips: Record<string, number>;
  readonly failures: { readonly name: string; readonly error: string }[];
}

/**
 * Stores the items of an importer, in requests of up to 100 documents. Each is durable when the next one starts, and
 * documents that are stored already stay unchanged, so that an interrupted import continues when it is repeated.
 *
 * @throws {EngineError} If the engine fails; failures of single documents are in the report.
 */
export async function runImport(
  client: EngineClient,
  items: AsyncIterable<ImportItem>,
  options: RunOptions = {},
): Promise<ImportReport> {
  const run = new ImportRun(client, options);
  for await (const item of items) {
    options.signal?.throwIfAborted();
    await run.add(item);
  }
  await run.flush();
  return run.report;
}

interface Pending {
  readonly name: string;
  readonly document: ImportedDocument;
}

class ImportRun {
  readonly report: ImportReport = {
    created: 0,
    updated: 0,
    unchanged: 0,
    skipped: 0,
    failed: 0,
    skips: {},
    failures: [],
  };
  readonly #client: EngineClient;
  readonly #options: RunOptions;
  #batch: Pending[] = [];
  #chars = 0;
  #chunks = 0;

  constructor(client: EngineClient, options: RunOptions) {
    this.#client = client;
    this.#options = options;
  }

  async add(item: ImportItem): Promise<void> {
    const { name } = item;
    if ("error" in item) return this.#count(name, { status: "failed", error: item.error });
    if ("skipped" in item) return this.#count(name, { status: "skipped", error: item.skipped });
    if ("file" in item) {
      if (this.#options.dryRun) return this.#count(name, { status: "created" });
      return this.#count(name, await uploadFile(this.#client, item.file, this.#callOptions));
    }
    const parsed = ImportedDocument.safeParse(item.document);
    if (!parsed.success) {
      const issue = parsed.error.issues[0]!;
      const error = `${issue.path.join(".")} must ${requirementOf(issue)}`;
      return this.#count(name, { status: "failed", error });
    }
    if (this.#options.dryRun) return this.#count(name, { status: "created" });
    const { text, chunks = [] } = item.document;
    const isFull = this.#batch.length === MAX_IMPORTED_DOCUMENTS ||
      this.#chars + text.length > MAX_BATCH_CHARS || this.#chunks + chunks.length > MAX_BATCH_CHUNKS;
    if (isFull) await this.flush();
    const { chunks: _, ...unsplit } = item.document;
    this.#batch.push({ name, document: chunks.length > MAX_CHUNKS ? unsplit : item.document });
    this.#chars += text.length;
    this.#chunks += chunks.length;
  }

  /** Sends the documents that wait for more. */
  async flush(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    this.#chars = this.#chunks = 0;
    if (batch.length > 0) await this.#send(batch);
  }

  async #send(batch: readonly Pending[]): Promise<void> {
    const { exact = false, overwrite = false } = this.#options;
    const request = { documents: batch.map(({ document }) => document), exact, overwrite };
    let results: readonly ImportResult[];
    try {
      ({ results } = await this.#repeat(() => this.#client.importDocuments(request, this.#callOptions)));
    } catch (error) {
      if (!(error instanceof EngineError && (error.code === "invalid" || error.code === "too_large"))) {
        throw error;
      }
      const [only] = batch;
      if (batch.length === 1 && only) {
        return this.#count(only.name, { status: "failed", error: error.message });
      }
      for (const each of batch) await this.#send([each]);
      return;
    }
    for (const [i, { name }] of batch.entries()) {
      this.#count(name, results[i] ?? { status: "failed", error: "The engine has not reported a result" });
    }
  }

  /** Repeats a request that was not processed, or whose response was lost: an import can be repeated. */
  async #repeat<T>(send: () => Promise<T>): Promise<T> {
    for (const delay of [...RETRY_DELAYS_MS, undefined]) {
      try {
        return await send();
      } catch (error) {
        const mayRepeat = error instanceof EngineError &&
          (error.code === "busy" || error.code === "outcome_unknown" || error.code === "unreachable");
        if (!mayRepeat || delay === undefined || this.#options.signal?.aborted) throw error;
        await new Promise((resolve) => setTimeout(resolve, delay));
      }
    }
    throw new Error("The last attempt must return or throw");
  }

  get #callOptions() {
    const { signal } = this.#options;
    return { actor: ACTOR, timeoutMs: TIMEOUT_MS, ...(signal && { signal }) };
  }

  #count(name: string, { status, error }: ImportResult): void {
    const { report } = this;
    if (status === "failed") {
      report.failed++;
      report.failures.push({ name, error: error ?? "The engine has not stored it" });
    } else if (status === "skipped") {
      report.skipped++;
      const reason = error ?? "a source of the engine has it";
      report.skips[reason] = (report.skips[reason] ?? 0) + 1;
    } else if (status === "created" || status === "updated") report[status]++;
    else report.unchanged++;
    this.#options.onProgress?.(report);
  }
}
