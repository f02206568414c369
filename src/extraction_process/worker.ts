/**
 * The extraction process, `kb-mcp extract-worker`: reads untrusted files with third-party parsers.
 *
 * Threat: a file makes a parser loop, exhausts memory, or runs code. The process has no permissions, learns
 * neither paths nor settings, and can be killed at any time. Standard input and output carry frames
 * (`frames.ts`); nothing else may write to standard output.
 *
 * @module
 */
import { basename } from "node:path";
import { MAX_TEXT_CHARS } from "../contract/rules/mod.ts";
import {
  type ChunkDraft,
  type ContainedFile,
  extract,
  ExtractionError,
  type ExtractionProgress,
  generateChunks,
  type LongTextDocument,
  Ocr,
  readLanguageData,
  readLongText,
} from "../extraction/mod.ts";
import type { OcrSettings } from "./command.ts";
import { encodeFrame, frameHeader } from "./frames.ts";
import {
  type FileMessage,
  MAX_CHUNKS_PER_MESSAGE,
  type ProgressMessage,
  type WorkerMessage,
} from "./messages.ts";
import { type FrameReader, startWatchdog } from "./watchdog.ts";

/** Chunks are sent in messages of about this many characters, and at most {@linkcode MAX_CHUNKS_PER_MESSAGE}. */
const CHARS_PER_MESSAGE = 64_000;
/** Minimum time between two messages about the progress of a file, in milliseconds. */
const PROGRESS_INTERVAL_MS = 100;
/** Maximum size of a frame with a part of a contained file, in bytes. */
const FILE_FRAME_BYTES = 2 ** 20;
/** Maximum length of the path of a contained file; the rest is cut. */
const MAX_PATH_CHARS = 4096;
/** Interval between two checks of the memory, in milliseconds. */
const MEMORY_CHECK_MS = 100;
/** Every kind of permission; revoking one that was never granted does nothing. */
const PERMISSIONS = ["read", "write", "net", "env", "run", "sys", "ffi", "import"] as const;
/**
 * A terminal sends these to all processes of a group. The parent decides when this process ends: otherwise
 * Ctrl-C would fail the file in progress.
 */
const IGNORED_SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT", "SIGBREAK"]
  : ["SIGINT", "SIGTERM", "SIGHUP"];

/** Options of {@linkcode serveExtraction}. */
export interface ServeExtractionOptions {
  /** Maximum resident set of the process, in bytes. */
  readonly maxRssBytes: number;
  /**
   * Keeps the permission to read. A bundle loads its parsers on demand from its own folder; the parent grants
   * access to nothing else.
   */
  readonly keepsRead: boolean;
  /** Language data for OCR. */
  readonly ocr?: OcrSettings;
}

/** Extracts files from standard input, one after the other, until the process is killed. */
export async function serveExtraction(
  { maxRssBytes, keepsRead, ocr: ocrSettings }: ServeExtractionOptions,
): Promise<never> {
  for (const signal of IGNORED_SIGNALS) Deno.addSignalListener(signal, () => {});
  redirectConsole();
  const ocr = ocrSettings && await loadOcr(ocrSettings);
  // The permissions of an executable are fixed when it is compiled: they have to go before the first byte of a
  // file arrives. The watchdog inherits the rest.
  for (const name of PERMISSIONS) {
    if (name !== "read" || !keepsRead) await Deno.permissions.revoke({ name });
  }
  const frames = startWatchdog({ maxRssBytes, intervalMs: MEMORY_CHECK_MS });
  send({ type: "ready" });
  while (true) {
    const message: FileMessage = JSON.parse(new TextDecoder().decode((await frames.read()).value));
    if (message.longTextBytes !== undefined) {
      await extractLongText(message, new FrameBytes(frames, message.longTextBytes));
      continue;
    }
    const { value: bytes } = await frames.read();
    if (bytes) await extractFile(message, bytes, ocr);
  }
}

/** Reads the language data, then drops the permission for them. */
async function loadOcr({ files, timeoutMs }: OcrSettings): Promise<Ocr> {
  const languages = await Promise.all(files.map(async (path) => ({
    code: basename(path).replace(/^ocr-|\.traineddata.*$/g, ""),
    data: await readLanguageData(await Deno.readFile(path)),
  })));
  for (const path of files) await Deno.permissions.revoke({ name: "read", path });
  return new Ocr({ languages, timeoutMs });
}

async function extractFile(
  { filename, contentType, chunk, maxTextChars, fileLimits }: FileMessage,
  bytes: Uint8Array<ArrayBuffer>,
  ocr: Ocr | undefined,
): Promise<void> {
  ocr?.reset();
  const report = createReporter();
  try {
    const onProgress = (progress: ExtractionProgress) => report({ stage: "extracting", ...progress });
    const text = await extract({ bytes, filename, contentType }, {
      ocr,
      onProgress,
      fileLimits,
      onFile: sendFile,
      ...(maxTextChars === undefined ? {} : { maxTextChars }),
    });
    if (!text) return send({ type: "unpacked", rssBytes: rssBytes() });
    send({ type: "start", ...(text.title !== undefined && { title: text.title }) });
    sendChunks(generateChunks(text, chunk), (done) => report({ stage: "indexing", unit: "chunks", done }));
    sendDocument(text);
  } catch (error) {
    send({ type: "error", ...describeError(error), rssBytes: rssBytes() });
  }
}

/**
 * Reads a long text as its bytes arrive. The parent stores its chunks meanwhile if the text may be longer than by default.
 * Otherwise it gets the first one after the last one is read, which takes a second: it would store a text that is too
 * long for half a minute, and remove it.
 */
async function extractLongText(
  { filename, contentType, chunk, maxTextChars = MAX_TEXT_CHARS }: FileMessage,
  bytes: FrameBytes,
): Promise<void> {
  const report = createReporter();
  let done = 0;
  try {
    let document: LongTextDocument | undefined;
    const parts = readLongText({ bytes, filename, contentType }, { chunk, maxTextChars });
    for await (const part of maxTextChars > MAX_TEXT_CHARS ? parts : await Array.fromAsync(parts)) {
      if (part.document) {
        document = part.document;
        send({ type: "start" });
      } else {
        const before = done;
        done += part.chunks.length;
        sendChunks(part.chunks, (sent) => report({ stage: "indexing", unit: "chunks", done: before + sent }));
      }
    }
    if (!document) throw new Error("A long text must have a document");
    sendDocument(document);
  } catch (error) {
    // The parent sends the whole file.
    await bytes.skip();
    send({ type: "error", ...describeError(error), rssBytes: rssBytes() });
  }
}

/** Bytes of a file in several frames. */
class FrameBytes implements AsyncIterable<Uint8Array<ArrayBuffer>> {
  readonly #frames: FrameReader;
  #left: number;

  constructor(frames: FrameReader, sizeBytes: number) {
    this.#frames = frames;
    this.#left = sizeBytes;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    while (this.#left > 0) {
      const { value } = await this.#frames.read();
      if (!value) return;
      this.#left -= value.byteLength;
      yield value;
    }
  }

  /** Reads the rest. */
  async skip(): Promise<void> {
    while (this.#left > 0) this.#left -= (await this.#frames.read()).value?.byteLength ?? this.#left;
  }
}

/** @param onSent Called with the number of chunks so far. */
function sendChunks(chunks: Iterable<ChunkDraft>, onSent: (sent: number) => void): void {
  let batch: ChunkDraft[] = [];
  let [sent, chars] = [0, 0];
  const sendBatch = () => {
    if (batch.length === 0) return;
    send({ type: "chunks", chunks: batch });
    onSent(sent += batch.length);
    [batch, chars] = [[], 0];
  };
  for (const chunk of chunks) {
    batch.push(chunk);
    chars += chunk.text.length;
    if (chars >= CHARS_PER_MESSAGE || batch.length >= MAX_CHUNKS_PER_MESSAGE) sendBatch();
  }
  sendBatch();
}

function sendDocument({ docType, title, metadata, tags, warnings = [] }: LongTextDocument): void {
  const document = {
    docType,
    tags,
    ...(title === undefined ? {} : { title }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
  send({ type: "document", document, rssBytes: rssBytes() });
}

function describeError(error: unknown): Omit<WorkerMessage & { type: "error" }, "type" | "rssBytes"> {
  const isExpected = error instanceof ExtractionError;
  const cause = isExpected ? error.cause : error;
  return {
    ...(isExpected ? { code: error.code, message: error.message } : {
      code: "internal",
      message: "The file could not be read because of an internal error",
    }),
    ...(cause instanceof Error && { cause: `${cause.name}: ${cause.message}`.slice(0, 1000) }),
  };
}

/** Returns a function that sends the progress of a file, at most every {@linkcode PROGRESS_INTERVAL_MS}. */
function createReporter(): (progress: Omit<ProgressMessage, "type">) => void {
  let lastTime = performance.now();
  return (progress) => {
    const now = performance.now();
    if (now - lastTime < PROGRESS_INTERVAL_MS) return;
    lastTime = now;
    send({ type: "progress", ...progress });
  };
}

/** Synchronous, so that a parser that does not return to the event loop can report its progress. */
function send(message: WorkerMessage): void {
  write(encodeFrame(message));
}

/** Sends a contained file. The parent stores it meanwhile: a slow disk slows the extraction down. */
function sendFile({ path, contentType, bytes, error }: ContainedFile): Promise<void> {
  send({
    type: "file",
    path: path.slice(0, MAX_PATH_CHARS),
    ...(contentType !== undefined && { contentType: contentType.slice(0, MAX_PATH_CHARS) }),
    sizeBytes: bytes?.byteLength ?? 0,
    ...(error && { error: { code: error.code, message: error.message } }),
  });
  for (let at = 0; bytes && at < bytes.byteLength; at += FILE_FRAME_BYTES) {
    const part = bytes.subarray(at, at + FILE_FRAME_BYTES);
    write(frameHeader(part.byteLength));
    write(part);
  }
  return Promise.resolve();
}

function write(frame: Uint8Array): void {
  for (let at = 0; at < frame.byteLength;) at += Deno.stdout.writeSync(frame.subarray(at));
}

function rssBytes(): number {
  return Deno.memoryUsage().rss;
}

/** Keeps what parsers print out of the frames, and a rejection that nobody handles from ending the process. */
function redirectConsole(): void {
  const print = console.error.bind(console);
  Object.assign(console, { log: print, info: print, debug: print, dir: print, table: print });
  addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    print("Unhandled rejection:", event.reason);
  });
}
