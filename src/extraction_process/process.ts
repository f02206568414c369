import type { ChunkDraft, ContainedFileLimits, ExtractionErrorCode } from "../extraction/mod.ts";
import type { ExtractionCommand } from "./command.ts";
import { encodeFrame, frameHeader, readFrames } from "./frames.ts";
import {
  type ContainedFileMessage,
  type DocumentFields,
  type FileMessage,
  MAX_MESSAGE_BYTES,
  MAX_RESULT_BYTES,
  type ProgressMessage,
  RESULT_BYTES_PER_CHAR,
  type WorkerMessage,
} from "./messages.ts";
import { parseWorkerMessage } from "./parse_message.ts";

/** Maximum number of bytes of standard error that are kept for the log. */
const MAX_STDERR_BYTES = 4096;

/** A file for {@linkcode ExtractionProcess.extract}. */
export interface FileContent {
  /** The bytes, in order. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Exact number of bytes. */
  readonly sizeBytes: number;
}

/** Result of {@linkcode ExtractionProcess.extract}. */
export interface ExtractedFile {
  readonly document: DocumentFields;
  /** All chunks, unless a sink has taken them. */
  readonly chunks: readonly ChunkDraft[];
}

/** Progress of a file: the number of pages, rows or files that were extracted, or of chunks that were made. */
export type FileProgress = Omit<ProgressMessage, "type">;

/** Receives the progress of a file. */
export type OnProgress = (progress: FileProgress) => void;

/** A file from inside of another one, as it arrives. */
export interface ReceivedFile extends Omit<ContainedFileMessage, "type"> {
  /** The bytes; none if there is an `error`. Must be read to the end before the receiver resolves. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Receivers of {@linkcode ExtractionProcess.extract}. */
export interface ExtractListeners {
  /** @default {() => {}} */
  readonly onProgress?: OnProgress | undefined;
  /** Takes contained files. Called only with `fileLimits`. @default {() => Promise.resolve()} */
  readonly onFile?: ((file: ReceivedFile) => Promise<void>) | undefined;
  /** Takes the chunks of the document as they arrive. Unset: they are returned together. */
  readonly sink?: ChunkSink | undefined;
}

/** Takes the chunks of a document as they arrive. */
export interface ChunkSink {
  /** Called when a document starts. After an attempt that has failed, there can be another one. */
  start(title: string | undefined): void;
  /** Takes the next chunks. The process waits until the promise resolves. */
  add(chunks: readonly ChunkDraft[]): Promise<void>;
}

/** The process reported that a file cannot become a document. */
export class WorkerError extends Error {
  /** Always `WorkerError`. */
  override name = "WorkerError";
  /** Code of the error. */
  readonly code: ExtractionErrorCode;

  constructor(
    { code, message, cause }: { code: ExtractionErrorCode; message: string; cause?: string },
  ) {
    super(message, cause === undefined ? {} : { cause: new Error(cause) });
    this.code = code;
  }
}

/** Reason why a process ended without a result. */
export type ExitCode =
  /** It exceeded its memory limit. */
  | "memory"
  /** It ended by itself, or broke the protocol. */
  | "crashed";

/** The process ended while it was needed. */
export class ProcessExitError extends Error {
  /** Always `ProcessExitError`. */
  override name = "ProcessExitError";
  /** See {@linkcode ExitCode}. */
  readonly code: ExitCode;

  constructor(code: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** A running extraction process. It reads one file at a time. Disposing kills it. */
export class ExtractionProcess implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  readonly #frames: AsyncGenerator<Uint8Array<ArrayBuffer>>;
  readonly #stderr: Promise<string>;
  /** Resolves when the process has ended and its streams are closed. */
  readonly ended: Promise<Deno.CommandStatus>;
  readonly #maxResultBytes: number;
  #rssBytes = 0;
  #hasEnded = false;

  /**
   * Starts the process.
   *
   * @param options.maxResultBytes Maximum size of all messages about one file. @default {200 MiB}
   * @throws {Error} When the operating system cannot start the process.
   */
  constructor({ program, args, env }: ExtractionCommand, { maxResultBytes = MAX_RESULT_BYTES } = {}) {
    this.#maxResultBytes = maxResultBytes;
    this.#child = new Deno.Command(program, {
      args: [...args],
      clearEnv: true,
      env: { ...env, NO_COLOR: "1" },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#input = this.#child.stdin.getWriter();
    // A write to a process that has ended also rejects this promise.
    this.#input.closed.catch(() => {});
    this.#frames = readFrames(this.#child.stdout, { maxPayloadBytes: MAX_MESSAGE_BYTES });
    this.#stderr = readTail(this.#child.stderr);
    this.ended = this.#waitForEnd();
  }

  /** Process id. */
  get pid(): number {
    return this.#child.pid;
  }

  /** Whether the process has ended. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Resident set of the process after its last file, in bytes. */
  get rssBytes(): number {
    return this.#rssBytes;
  }

  /** End of the text that the process has written to standard error. Resolves after the process has ended. */
  get stderr(): Promise<string> {
    return this.#stderr;
  }

  /**
   * Waits until the process is ready for its first file. Must be awaited once.
   *
   * @throws {ProcessExitError} When it ends instead.
   */
  async start(): Promise<void> {
    const message = await this.#next();
    if (message.type !== "ready") throw await this.#failed(new Error(`Unexpected message: ${message.type}`));
  }

  /**
   * Extracts a file.
   *
   * @returns `null` for an archive: its files have been passed to `onFile`.
   * @throws {WorkerError} When the file cannot become a document.
   * @throws {unknown} The error of `onFile` or the sink. The process cannot be used again.
   * @throws {ProcessExitError} When the process ends. It cannot be used again.
   */
  async extract(
    message: FileMessage,
    { bytes, sizeBytes }: FileContent,
    { onProgress = () => {}, onFile = () => Promise.resolve(), sink }: ExtractListeners = {},
  ): Promise<ExtractedFile | null> {
    const written = this.#write(message, bytes, sizeBytes);
    // A long text is read while it is written.
    if (message.longTextBytes === undefined) await written;
    else written.catch(() => {/* awaited at the end */});
    const { maxTextChars = 0 } = message;
    const maxResultBytes = Math.max(this.#maxResultBytes, RESULT_BYTES_PER_CHAR * maxTextChars);
    let hasStarted = false;
    const files = new FileCounter(message.fileLimits);
    const chunks: ChunkDraft[] = [];
    let resultBytes = 0;
    while (true) {
      const message = await this.#next((payload) => {
        resultBytes += payload.byteLength;
        if (resultBytes > maxResultBytes) throw new RangeError("The result is too long");
      });
      switch (message.type) {
        case "progress": {
          const { type: _, ...progress } = message;
          onProgress(progress);
          break;
        }
        case "start":
          if (hasStarted) throw await this.#failed(new Error("Unexpected message: start"));
          hasStarted = true;
          sink?.start(message.title);
          break;
        case "chunks": {
          const received = message.chunks.map((each) => ({
            ...each,
            pageStart: each.pageStart,
            pageEnd: each.pageEnd,
          }));
          if (!hasStarted) throw await this.#failed(new Error("Unexpected message: chunks"));
          if (sink) await this.#pass(() => sink.add(received));
          else chunks.push(...received);
          break;
        }
        case "file":
          await this.#receive(message, files, onFile);
          break;
        case "unpacked":
          if (!files.isWanted) throw await this.#failed(new Error("Unexpected message: unpacked"));
          this.#rssBytes = message.rssBytes;
          return null;
        case "document":
          await written;
          this.#rssBytes = message.rssBytes;
          return { document: message.document, chunks };
        case "error":
          await written;
          this.#rssBytes = message.rssBytes;
          throw new WorkerError(message);
        default:
          throw await this.#failed(new Error(`Unexpected message: ${message.type}`));
      }
    }
  }

  /** Kills the process. Does nothing if it has ended. */
  kill(): void {
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // It has already ended.
    }
  }

  /** Kills the process and waits for its end. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
    await this.ended;
  }

  async #write(message: FileMessage, bytes: AsyncIterable<Uint8Array>, sizeBytes: number): Promise<void> {
    let sent = 0;
    const isLongText = message.longTextBytes !== undefined;
    try {
      const fileMessage = encodeFrame(message);
      const fileHeader = isLongText ? new Uint8Array() : frameHeader(sizeBytes);
      const start = new Uint8Array(fileMessage.byteLength + fileHeader.byteLength);
      start.set(fileMessage);
      start.set(fileHeader, fileMessage.byteLength);
      await this.#input.write(start);
      for await (const part of bytes) {
        sent += part.byteLength;
        if (sent > sizeBytes) break;
        if (isLongText) await this.#input.write(frameHeader(part.byteLength));
        await this.#input.write(part as Uint8Array<ArrayBuffer>);
      }
    } catch (error) {
      throw await this.#failed(error);
    }
    if (sent !== sizeBytes) {
      throw await this.#failed(new Error(`The file must have ${sizeBytes} bytes, got ${sent}`));
    }
  }

  /** Passes on a contained file. The process is not trusted to keep the limits. */
  async #receive(
    { type: _, ...file }: ContainedFileMessage,
    files: FileCounter,
    onFile: (file: ReceivedFile) => Promise<void>,
  ): Promise<void> {
    let left = file.sizeBytes;
    try {
      files.add(file);
    } catch (error) {
      throw await this.#failed(error);
    }
    const nextFrame = () => this.#nextFrame();
    async function* bytes() {
      while (left > 0) {
        const part = await nextFrame();
        left -= part.byteLength;
        yield part;
      }
    }
    // After an error, the rest of the file would be taken for messages.
    await this.#pass(() => onFile({ ...file, bytes: bytes() }));
    if (left !== 0) throw await this.#failed(new Error("A contained file has a wrong size"));
  }

  /** Calls a receiver. Its error leaves a process that cannot be used again. */
  async #pass(receive: () => Promise<void>): Promise<void> {
    try {
      await receive();
    } catch (error) {
      this.kill();
      throw error;
    }
  }

  async #nextFrame(): Promise<Uint8Array<ArrayBuffer>> {
    try {
      const { value, done } = await this.#frames.next();
      if (!done) return value;
    } catch (error) {
      throw await this.#failed(error);
    }
    throw await this.#failed();
  }

  async #next(check: (payload: Uint8Array) => void = () => {}): Promise<WorkerMessage> {
    try {
      const { value, done } = await this.#frames.next();
      if (!done) {
        check(value);
        return parseWorkerMessage(value);
      }
    } catch (error) {
      throw await this.#failed(error);
    }
    throw await this.#failed();
  }

  /** Kills the process if it still runs. Returns the error that describes its end. */
  async #failed(cause?: unknown): Promise<ProcessExitError> {
    // The process may be about to report its own end, which says more than the broken pipe.
    const ownEnd = cause === undefined || cause instanceof Deno.errors.BrokenPipe;
    if (!ownEnd) this.kill();
    const { signal, code } = await this.ended;
    const stderr = await this.#stderr;
    if (ownEnd && (signal === "SIGKILL" || /out of memory/i.test(stderr))) {
      return new ProcessExitError("memory", "The process exceeded its memory limit");
    }
    return new ProcessExitError(
      "crashed",
      ownEnd ? `The process ended with status ${signal ?? code}` : "The process broke the protocol",
      cause === undefined ? {} : { cause },
    );
  }

  async #waitForEnd(): Promise<Deno.CommandStatus> {
    const status = await this.#child.status;
    this.#hasEnded = true;
    await this.#stderr;
    await this.#input.abort().catch(() => {});
    // Frames that nobody reads: cancels the stream.
    await this.#frames.return(undefined).catch(() => {});
    return status;
  }
}

/** Checks the contained files of one file against their limits. */
class FileCounter {
  readonly #limits: ContainedFileLimits | undefined;
  #files = 0;
  #totalBytes = 0;

  constructor(limits: ContainedFileLimits | undefined) {
    this.#limits = limits;
  }

  get isWanted(): boolean {
    return this.#limits !== undefined;
  }

  /** @throws {RangeError} */
  add({ sizeBytes, error }: Omit<ContainedFileMessage, "type">): void {
    const { maxFiles, maxFileBytes, maxTotalBytes } = this.#limits ?? NO_FILES;
    this.#totalBytes += sizeBytes;
    const isValid = ++this.#files <= maxFiles && sizeBytes <= maxFileBytes &&
      this.#totalBytes <= maxTotalBytes && !(error && sizeBytes > 0);
    if (!isValid) throw new RangeError("The contained files exceed their limits");
  }
}

const NO_FILES: ContainedFileLimits = { maxFiles: 0, maxFileBytes: 0, maxTotalBytes: 0 };

/** Reads a stream to its end. Returns the last bytes as text. */
async function readTail(stream: AsyncIterable<Uint8Array>): Promise<string> {
  let tail = new Uint8Array();
  for await (const bytes of stream) {
    const joined = new Uint8Array(tail.byteLength + bytes.byteLength);
    joined.set(tail);
    joined.set(bytes, tail.byteLength);
    tail = joined.slice(-MAX_STDERR_BYTES);
  }
  return new TextDecoder().decode(tail);
}
