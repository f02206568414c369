import {
  checkStart,
  type ChunkDraft,
  type ChunkOptions,
  type ContainedFileLimits,
  DETECTION_BYTES,
  displayName,
  ExtractionError,
  isLongText,
  isTextName,
} from "../../extraction/mod.ts";
import {
  type ChunkSink,
  type ExtractionCommand,
  ExtractionProcess,
  type FileContent,
  type OnProgress,
  ProcessExitError,
  type ReceivedFile,
  WorkerError,
} from "../../extraction_process/mod.ts";
import { MAX_TEXT_CHARS } from "../../contract/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";
import {
  type IngestedFile,
  KnowledgeBaseError,
  type ReadText,
  type TextDocument,
} from "../knowledge_base/mod.ts";
import { delay } from "../../async/mod.ts";
import { Deadline } from "./deadline.ts";

/**
 * Default of {@linkcode ExtractorOptions.idleMs}. Keeping the process saves the start of the process and its
 * parsers for the next file, but holds about 100 MiB of memory.
 */
const DEFAULT_IDLE_MS = 10_000;
/** Default of {@linkcode ExtractorOptions.startTimeoutMs}. */
const DEFAULT_START_TIMEOUT_MS = 60_000;
/** Time before the second attempt to create the process, in milliseconds. It doubles each time. */
const FIRST_SPAWN_DELAY_MS = 100;
/** Maximum time between two attempts, in milliseconds. */
const MAX_SPAWN_DELAY_MS = 5000;
/** Codes of system errors while other processes or connections hold what a new process needs. */
const SHORTAGES: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE", "EAGAIN", "ENOMEM"]);
/** Number of files after which a process is replaced: parsers may leak. */
const MAX_FILES_PER_PROCESS = 500;
/** A process that keeps more memory than this after a file is replaced, in bytes. */
const MAX_IDLE_RSS_BYTES = 160 * 2 ** 20;
/** Number of bytes that are read from the spool at once. */
const READ_BYTES = 65_536;

/** A file to extract. */
export interface ExtractTask {
  /** Path of the spooled file. */
  readonly path: string;
  /** File name given by the sender. */
  readonly filename: string | undefined;
  /** Media type claimed by the sender. */
  readonly contentType: string | undefined;
  /** Title given by the sender. */
  readonly title?: string | undefined;
  /** Chunk sizes. */
  readonly chunk: ChunkOptions;
}

/** The extracted document. */
export type Extracted = Omit<IngestedFile, "jobId" | "files">;

/** Takes the files inside of a file. */
export interface ContainedFileSink {
  readonly limits: ContainedFileLimits;
  /** Drops the files so far. Called when the extraction of a file starts, for which there can be a second attempt. */
  reset(): Promise<void>;
  /** @throws {ExtractionError} The file cannot be extracted. */
  add(file: ReceivedFile): Promise<void>;
}

/** Options of {@linkcode Extractor.run}. */
export interface ExtractOptions {
  /** Receives the progress of the file. */
  readonly onProgress?: OnProgress;
  /** Takes contained files. Unset: they are not wanted. */
  readonly contained?: ContainedFileSink | undefined;
  /** Takes chunks as they arrive. Unset: they are returned together. */
  readonly sink?: ChunkSink | undefined;
  /** Kills the process. */
  readonly signal?: AbortSignal | undefined;
}

/** Settings of {@linkcode Extractor}. */
export interface ExtractorOptions {
  /** Starts the process. */
  readonly command: ExtractionCommand;
  /** Timeout for one file, in milliseconds. */
  readonly timeoutMs: number;
  /** Maximum length of the text of a file, in UTF-16 code units. @default {MAX_TEXT_CHARS} */
  readonly maxTextChars?: number;
  /** Reads small text files in place of the process. Unset: the process reads all files. */
  readonly readText?: ReadText;
  /** Receives what the process prints, at level debug. */
  readonly log: Logger;
  /**
   * Timeout for starting the process, and time for which that is tried while the system is short of descriptors,
   * processes or memory, in milliseconds. Neither counts against a file.
   *
   * @default {60_000}
   */
  readonly startTimeoutMs?: number;
  /** Time that an idle process is kept, in milliseconds. @default {10_000} */
  readonly idleMs?: number;
}

/**
 * Extracts text and chunks from files, one at a time, in a process that runs only while there are files. A
 * process that ends or exceeds the timeout fails only its file.
 */
export class Extractor implements AsyncDisposable {
  readonly #options: ExtractorOptions;
  #process: ExtractionProcess | undefined;
  #fileCount = 0;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #isDisposed = false;
  #isRunning = false;
  /** Ends of discarded processes. */
  readonly #ending = new Set<Promise<unknown>>();

  constructor(options: ExtractorOptions) {
    this.#options = options;
  }

  /**
   * Extracts one file. The previous one must be done.
   *
   * @returns `null` for an archive, which has no text of its own.
   * @throws {ExtractionError} When the file cannot become a document; `timeout`, `missing_file` and `internal` included.
   * @throws {DOMException} `AbortError` when the extractor is disposed.
   * @throws {unknown} The reason of the signal.
   */
  async run(task: ExtractTask, options: ExtractOptions = {}): Promise<Extracted | null> {
    return await this.#run(options, async () => {
      using file = await openSpooled(task);
      const { size } = await file.stat();
      return await this.#read(task, { bytes: readChunks(file), sizeBytes: size }, options);
    });
  }

  /**
   * Extracts one file from its bytes. The previous one must be done.
   *
   * @throws {ExtractionError} See {@linkcode Extractor.run}; `internal` unless there are `sizeBytes` bytes.
   * @throws {DOMException} `AbortError` when the extractor is disposed.
   * @throws {unknown} The reason of the signal.
   */
  async extract(
    content: FileContent,
    task: Omit<ExtractTask, "path">,
    options: ExtractOptions = {},
  ): Promise<Extracted | null> {
    return await this.#run(options, () => this.#read(task, content, options));
  }

  /** Whether its process runs. */
  get hasProcess(): boolean {
    return this.#process !== undefined;
  }

  /** Ends the process, unless a file is being extracted. The next file starts another one. */
  endProcess(): void {
    if (this.#isRunning) return;
    clearTimeout(this.#idleTimer);
    this.#discard();
  }

  async #run({ signal }: ExtractOptions, work: () => Promise<Extracted | null>): Promise<Extracted | null> {
    if (this.#isDisposed) throw closedError();
    signal?.throwIfAborted();
    clearTimeout(this.#idleTimer);
    this.#isRunning = true;
    const kill = () => this.#process?.kill();
    signal?.addEventListener("abort", kill);
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      const isKnown = error instanceof ExtractionError || error instanceof KnowledgeBaseError;
      if (isKnown || this.#isDisposed) throw error;
      throw new ExtractionError("internal", "The file could not be read because of an internal error", {
        cause: error,
      });
    } finally {
      signal?.removeEventListener("abort", kill);
      this.#isRunning = false;
      if (signal?.aborted) this.#discard();
      else this.#settle();
    }
  }

  /** Ends the process at once. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    clearTimeout(this.#idleTimer);
    this.#discard();
    await Promise.all(this.#ending);
  }

  async #read(
    task: Omit<ExtractTask, "path">,
    { bytes, sizeBytes }: FileContent,
    options: ExtractOptions,
  ): Promise<Extracted | null> {
    const { filename, contentType } = task;
    const chunks = bytes[Symbol.asyncIterator]();
    const head = await readHead(chunks);
    const { maxTextChars = MAX_TEXT_CHARS } = this.#options;
    const text = await this.#readText(task, head, { sizeBytes, maxTextChars });
    options.signal?.throwIfAborted();
    if (text) {
      options.sink?.start(text.title);
      await options.sink?.add(text.chunks);
      return text;
    }
    const start = { bytes: head.subarray(0, DETECTION_BYTES), filename, contentType };
    checkStart(start, { sizeBytes, maxTextChars });
    return await this.#extract(task, { bytes: concatenate(head, chunks), sizeBytes }, {
      ...options,
      isLong: isLongText(start, sizeBytes),
    });
  }

  /** Reads a small text file without a process. Returns undefined for any other file. */
  async #readText(
    { filename, contentType, title, chunk }: Omit<ExtractTask, "path">,
    bytes: Uint8Array,
    { sizeBytes, maxTextChars }: { readonly sizeBytes: number; readonly maxTextChars: number },
  ): Promise<TextDocument | undefined> {
    const { readText } = this.#options;
    // The rest of the file has not been read. A text has at most as many characters as bytes.
    if (!readText || bytes.byteLength !== sizeBytes || sizeBytes > maxTextChars || !isTextName(filename)) {
      return undefined;
    }
    return await readText({ bytes, filename, contentType, title, chunk });
  }

  async #extract(
    task: Omit<ExtractTask, "path">,
    content: FileContent,
    { onProgress, contained, sink, signal, isLong = false }: ExtractOptions & { readonly isLong?: boolean },
  ): Promise<Extracted | null> {
    const { filename, contentType, chunk } = task;
    const { timeoutMs, maxTextChars } = this.#options;
    const process = await this.#start(signal);
    // Also while the process started.
    signal?.throwIfAborted();
    this.#fileCount++;
    let hasTimedOut = false;
    using deadline = new Deadline(timeoutMs, () => {
      hasTimedOut = true;
      process.kill();
    });
    let storeError: unknown;
    // The time for which the store is busy is not that of the file.
    const timedSink = sink && {
      start: (title: string | undefined) => sink.start(title),
      add: (chunks: readonly ChunkDraft[]) =>
        deadline.paused(() =>
          sink.add(chunks).catch((error) => {
            storeError = error;
            throw error;
          })
        ),
    };
    try {
      const message = {
        chunk,
        ...(maxTextChars === undefined ? {} : { maxTextChars }),
        ...(filename === undefined ? {} : { filename }),
        ...(contentType === undefined ? {} : { contentType }),
        ...(contained && { fileLimits: contained.limits }),
        ...(isLong && { longTextBytes: content.sizeBytes }),
      };
      await contained?.reset();
      const onFile = contained && ((file: ReceivedFile) => contained.add(file));
      const extracted = await process.extract(message, content, { onProgress, onFile, sink: timedSink });
      return extracted && { ...extracted.document, chunks: extracted.chunks };
    } catch (error) {
      if (this.#isDisposed) throw closedError();
      if (storeError !== undefined) throw storeError;
      // Of the sink for contained files.
      if (error instanceof KnowledgeBaseError) throw error;
      if (hasTimedOut) throw timeoutError(displayName(filename), timeoutMs);
      throw await this.#toExtractionError(error, process, displayName(filename));
    }
  }

  /** Returns the running process, or starts one. */
  async #start(signal: AbortSignal | undefined): Promise<ExtractionProcess> {
    if (this.#isDisposed) throw closedError();
    if (this.#process && !this.#process.hasEnded) return this.#process;
    const { command, startTimeoutMs = DEFAULT_START_TIMEOUT_MS } = this.#options;
    let process: ExtractionProcess | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      process = this.#process = await this.#spawn(command, { timeoutMs: startTimeoutMs, signal });
      this.#fileCount = 0;
      timer = setTimeout(() => process?.kill(), startTimeoutMs);
      await process.start();
      return process;
    } catch (error) {
      if (this.#isDisposed) throw closedError();
      const cause = process ? new Error(`It printed: ${await process.stderr}`, { cause: error }) : error;
      const message = "The file could not be read: the extraction process did not start";
      throw new ExtractionError("internal", message, { cause });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Creates the process, again while the system is short of descriptors, processes or memory: that passes. */
  async #spawn(
    command: ExtractionCommand,
    { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
  ): Promise<ExtractionProcess> {
    let delayMs = FIRST_SPAWN_DELAY_MS;
    for (let waitedMs = 0;; waitedMs += delayMs) {
      if (this.#isDisposed) throw closedError();
      try {
        return new ExtractionProcess(command);
      } catch (error) {
        const isShortage = error instanceof Error && "code" in error && SHORTAGES.has(error.code);
        if (!isShortage || waitedMs >= timeoutMs || signal?.aborted) throw error;
        this.#options.log.warn("failed to start the extraction process: trying again", { error });
        await delay(delayMs, signal, { ref: true });
        delayMs = Math.min(2 * delayMs, MAX_SPAWN_DELAY_MS);
      }
    }
  }

  async #toExtractionError(
    error: unknown,
    process: ExtractionProcess,
    name: string,
  ): Promise<ExtractionError> {
    if (error instanceof ExtractionError) return error;
    if (error instanceof WorkerError) {
      return new ExtractionError(error.code, error.message, { cause: error.cause });
    }
    if (process.hasEnded) {
      this.#options.log.debug("extraction process ended", { printed: await process.stderr });
    }
    if (error instanceof ProcessExitError && error.code === "memory") {
      return new ExtractionError(
        "too_large",
        `Cannot read ${name}: reading it needs too much memory. Split it into smaller files and upload those, or ` +
          "raise KB_EXTRACT_MEMORY",
        { cause: error },
      );
    }
    return new ExtractionError("internal", "Reading the file crashed: it is damaged, or made a parser fail", {
      cause: error,
    });
  }

  /** After a file: keeps the process for the next one, unless it is used up. */
  #settle(): void {
    const process = this.#process;
    if (!process || this.#isDisposed) return;
    const isUsedUp = process.hasEnded || this.#fileCount >= MAX_FILES_PER_PROCESS ||
      process.rssBytes > MAX_IDLE_RSS_BYTES;
    if (isUsedUp) return this.#discard();
    this.#idleTimer = setTimeout(() => this.#discard(), this.#options.idleMs ?? DEFAULT_IDLE_MS);
    Deno.unrefTimer(this.#idleTimer);
  }

  #discard(): void {
    if (!this.#process) return;
    const ended = this.#process[Symbol.asyncDispose]();
    this.#process = undefined;
    this.#ending.add(ended);
    void ended.then(() => this.#ending.delete(ended));
  }
}

/** @throws {ExtractionError} `missing_file`. */
async function openSpooled({ path, filename }: ExtractTask): Promise<Deno.FsFile> {
  try {
    return await Deno.open(path);
  } catch (cause) {
    if (!(cause instanceof Deno.errors.NotFound)) throw cause;
    throw new ExtractionError(
      "missing_file",
      `Cannot read ${
        displayName(filename)
      }: it is no longer in the data directory, and backups do not contain the ` +
        "files of jobs. Add it again",
      { cause },
    );
  }
}

/** Whether a file failed because its process needed more memory than it may have. */
export function isOutOfMemory(error: unknown): boolean {
  const cause = error instanceof ExtractionError ? error.cause : undefined;
  return cause instanceof ProcessExitError && cause.code === "memory";
}

/** Reads a file in one reused buffer. */
async function* readChunks(file: Deno.FsFile): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(READ_BYTES);
  for (let count = await file.read(buffer); count !== null; count = await file.read(buffer)) {
    yield buffer.subarray(0, count);
  }
}

/** Reads the bytes that `checkStart` needs. */
async function readHead(chunks: AsyncIterator<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const head: Uint8Array[] = [];
  for (let length = 0; length < DETECTION_BYTES;) {
    const { value, done } = await chunks.next();
    if (done) break;
    head.push(value.slice());
    length += value.byteLength;
  }
  return new Uint8Array(await new Blob(head as Uint8Array<ArrayBuffer>[]).arrayBuffer());
}

/** Yields `head`, then the rest of a file. */
async function* concatenate(
  head: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield head;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

function timeoutError(name: string, timeoutMs: number): ExtractionError {
  const seconds = Math.round(timeoutMs / 100) / 10;
  return new ExtractionError(
    "timeout",
    `Reading ${name} took longer than ${seconds} s: split it, or raise KB_EXTRACT_TIMEOUT`,
  );
}

function closedError(): DOMException {
  return new DOMException("The extractor was closed", "AbortError");
}
