import { createHash } from "node:crypto";
import { JobForm, MAX_NOTE_CHARS } from "../../contract/mod.ts";
import { isTextName, MAX_SMALL_TEXT_BYTES } from "../../extraction/mod.ts";
import { quoteText } from "../../text/mod.ts";
import { assertContentLength, BodyBuffer, type HttpRequest, readRequestChunks } from "../../web/mod.ts";
import type { Spool, SpooledFile } from "../ingestion/mod.ts";
import type { NewJob } from "../knowledge_base/mod.ts";
import { assertNotCompressed, bodyLimits, type BodyOptions } from "./body.ts";
import { HttpError } from "./errors.ts";
import { type FormPart, multipartBoundary, readMultipart } from "./multipart.ts";
import { validate } from "./validate.ts";

/**
 * Maximum size of a form without its file, in bytes: a note of maximum length in UTF-8, and the other fields.
 */
const MAX_FORM_BYTES = 8 * 2 ** 20;
/** Maximum size of a note's text in bytes: up to 3 bytes of UTF-8 per UTF-16 code unit, and CRLF for LF. */
const MAX_TEXT_BYTES = 4 * MAX_NOTE_CHARS;
/** Maximum size of any other field in bytes. */
const MAX_FIELD_BYTES = 16 * 1024;

const encoder = new TextEncoder();
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const FIELDS = Object.keys(JobForm.shape);

/** A note, a file in the spool, or a small text file in memory. */
export interface ReceivedJob extends NewJob {
  /** Content of a file that is not in the spool yet. */
  readonly fileBytes?: Uint8Array;
}

type ReceivedFile =
  & Omit<SpooledFile, "name">
  & Pick<FormPart, "filename" | "contentType">
  & ({ readonly name: string; readonly bytes?: undefined } | {
    readonly name?: undefined;
    readonly bytes: Uint8Array;
  });

/** Options of {@linkcode readJobForm}. */
export interface FormOptions extends BodyOptions {
  /** Receives the file. */
  readonly spool: Spool;
  /** Maximum size of a file in bytes. */
  readonly maxFileBytes: number;
}

/**
 * Reads the form of `POST /api/v1/jobs`, with its parts in any order. Writes the file to the spool while it
 * arrives, unless it is a small text; on an error the file is removed.
 *
 * @throws {HttpError} `invalid`, `too_large`, `unsupported_media_type`.
 * @throws {BodyError} See {@linkcode readRequestChunks}.
 */
export async function readJobForm(request: HttpRequest, options: FormOptions): Promise<ReceivedJob> {
  const { maxFileBytes, spool } = options;
  const boundary = multipartBoundary(request.headers.get("content-type"));
  assertNotCompressed(request);
  const limits = bodyLimits(options, maxFileBytes + MAX_FORM_BYTES);
  assertContentLength(request, limits.maxBytes);
  const fields: Record<string, string | string[]> = {};
  let file: ReceivedFile | undefined;
  try {
    for await (const part of readMultipart(readRequestChunks(request, limits), boundary)) {
      const { name, filename, contentType } = part;
      if (name === "file") {
        if (file) throw new HttpError("invalid", "file must be given once: create a job for each file");
        file = { ...await readFile(part, options), filename, contentType };
      } else addField(fields, name, await readField(part, options));
    }
    const form = validate(JobForm, fields, "The form");
    if ((form.text === undefined) === (file === undefined)) {
      throw exactlyOneContent();
    }
    if (file?.sizeBytes === 0) throw new HttpError("invalid", "file must not be empty");
    return createNewJob(form, file);
  } catch (error) {
    if (file?.name !== undefined) await spool.remove(file.name).catch(() => {});
    throw error;
  }
}

/**
 * Returns the note of a form whose fields are in memory, like {@linkcode readJobForm} after their transfer.
 *
 * @throws {HttpError} `invalid`, `too_large`.
 */
export function readJobFields(form: FormData): ReceivedJob {
  const fields: Record<string, string | string[]> = {};
  for (const [name, value] of form) {
    if (typeof value !== "string") throw new TypeError("The form must not have a file");
    const maxBytes = maxFieldBytes(name);
    // A UTF-16 code unit has at most 3 bytes in UTF-8.
    if (3 * value.length > maxBytes && encoder.encode(value).byteLength > maxBytes) {
      throw fieldTooLarge(name, maxBytes);
    }
    addField(fields, name, restoreLineEnds(value));
  }
  const parsed = validate(JobForm, fields, "The form");
  if (parsed.text === undefined) throw exactlyOneContent();
  return createNewJob(parsed, undefined);
}

function createNewJob(
  {
    text = "",
    title,
    source_path: sourcePath,
    tags,
    overwrite,
    keep_collection: keepCollection,
    add_only: addOnly,
  }: JobForm,
  file: ReceivedFile | undefined,
): ReceivedJob {
  if (overwrite && addOnly) {
    throw new HttpError("invalid", "The form must not have both overwrite and add_only");
  }
  const content = file
    ? {
      ...(file.name === undefined ? { fileBytes: file.bytes } : { spoolFile: file.name }),
      contentHash: file.sha256,
      sizeBytes: file.sizeBytes,
      ...(file.filename === undefined ? {} : { filename: file.filename }),
      ...(file.contentType === undefined ? {} : { contentType: file.contentType }),
    }
    : {
      text,
      contentHash: "",
      sizeBytes: encoder.encode(text).byteLength,
    };
  return {
    ...content,
    ...(title === undefined ? {} : { title }),
    ...(sourcePath === undefined ? {} : { sourcePath }),
    tags: [...new Set(tags)],
    overwrite,
    keepCollection,
    addOnly,
  };
}

function addField(fields: Record<string, string | string[]>, name: string, value: string): void {
  if (!FIELDS.includes(name)) {
    throw new HttpError(
      "invalid",
      `The form has an unknown field ${quoteText(name, 60)}: the fields are ${FIELDS.join(", ")} and file`,
    );
  }
  if (name === "tags") fields.tags = [...fields.tags ?? [], value];
  else if (name in fields) throw new HttpError("invalid", `${name} must be given once`);
  else fields[name] = value;
}

function exactlyOneContent(): HttpError {
  return new HttpError("invalid", "The form must have exactly one of text (a note) and file");
}

/** Restores LF line ends, which `FormData` sends as CRLF (HTML standard §4.10.21.8). */
function restoreLineEnds(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

function maxFieldBytes(name: string): number {
  return name === "text" ? MAX_TEXT_BYTES : MAX_FIELD_BYTES;
}

/** Receives a file: in memory if it is a small text, or else in the spool. */
async function readFile(
  part: FormPart,
  { spool, maxFileBytes, memory }: FormOptions,
): Promise<SpooledFile | Pick<ReceivedFile & { name?: undefined }, "bytes" | "sha256" | "sizeBytes">> {
  const chunks = limitBytes(part, maxFileBytes);
  const isInMemory = isTextName(part.filename) && (!memory || memory.tryGrow(MAX_SMALL_TEXT_BYTES));
  if (!isInMemory) return await spool.write(chunks);
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    // The buffer of a chunk is reused.
    parts.push(chunk.slice());
    sizeBytes += chunk.byteLength;
    if (sizeBytes > MAX_SMALL_TEXT_BYTES) return await spool.write(concatenate(parts, chunks));
  }
  const bytes = joined(parts, sizeBytes);
  return { bytes, sha256: createHash("sha256").update(bytes).digest("hex"), sizeBytes };
}

function joined(parts: readonly Uint8Array[], sizeBytes: number): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const bytes = new Uint8Array(sizeBytes);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.byteLength;
  }
  return bytes;
}

async function* concatenate(start: readonly Uint8Array[], rest: AsyncIterable<Uint8Array>) {
  yield* start;
  yield* rest;
}

/** Reads a text field. */
async function readField(part: FormPart, { memory }: FormOptions): Promise<string> {
  const maxBytes = maxFieldBytes(part.name);
  const buffer = new BodyBuffer({ maxBytes, ...(memory && { memory }) });
  for await (const chunk of limitBytes(part, maxBytes)) buffer.append(chunk);
  let text: string;
  try {
    text = utf8.decode(buffer.bytes);
  } catch (cause) {
    throw new HttpError("invalid", `${part.name.slice(0, 60)} must be UTF-8 text`, { cause });
  }
  return restoreLineEnds(text);
}

/** Yields the content of a part. Throws `too_large` over `maxBytes`. */
async function* limitBytes({ name, body }: FormPart, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBytes) throw fieldTooLarge(name, maxBytes);
    yield chunk;
  }
}

function fieldTooLarge(name: string, maxBytes: number): HttpError {
  return new HttpError("too_large", `${name.slice(0, 60)} must be at most ${maxBytes} bytes`);
}
