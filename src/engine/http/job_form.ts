import { createHash } from "node:crypto";
import { JobForm, MAX_NOTE_CHARS } from "../../contract/mod.ts";
import type { Spool, SpooledFile } from "../ingestion/mod.ts";
import type { NewJob } from "../knowledge_base/mod.ts";
import { type BodyLimits, readBody, tooLarge } from "./body.ts";
import { HttpError } from "./errors.ts";
import { multipartBoundary, type Part, readMultipart } from "./multipart.ts";
import { validate } from "./validate.ts";

/** What a form may hold beside its file: a note of the greatest length, in UTF-8, and the small fields. */
const FORM_BYTES = 8 * 2 ** 20;
/** Most bytes of a note's text: 3 of UTF-8 to a UTF-16 code unit at worst, and CRLF where the text has LF. */
const TEXT_BYTES = 4 * MAX_NOTE_CHARS;
/** Most bytes of any other field. */
const FIELD_BYTES = 16 * 1024;

const encoder = new TextEncoder();
const FIELDS = Object.keys(JobForm.shape);

type ReceivedFile = SpooledFile & Pick<Part, "filename" | "contentType">;

/** What reading a form needs. */
export interface FormOptions extends Omit<BodyLimits, "maxBytes"> {
  readonly spool: Spool;
  /** Most bytes of a file. */
  readonly maxFileBytes: number;
}

/**
 * Reads the form of `POST /api/v1/jobs`, in whatever order its parts come. A file goes to the spool as it arrives;
 * it is on disk when this returns, and gone when this throws.
 *
 * @throws {HttpError} `invalid`, `too_large`, `timeout`, `unsupported_media_type`, `shutting_down`.
 */
export async function readJobForm(request: Request, options: FormOptions): Promise<NewJob> {
  const boundary = multipartBoundary(request.headers.get("content-type"));
  const body = readBody(request, { ...options, maxBytes: options.maxFileBytes + FORM_BYTES });
  const fields: Record<string, string | string[]> = {};
  let file: ReceivedFile | undefined;
  try {
    for await (const part of readMultipart(body, boundary)) {
      const { name, filename, contentType } = part;
      if (name === "file") {
        if (file) {
          throw new HttpError("invalid", "file must be given once: send each file as a job of its own");
        }
        file = {
          ...await options.spool.write(limit(part.body, options.maxFileBytes)),
          filename,
          contentType,
        };
      } else addField(fields, name, await readField(part));
    }
    const form = validate(JobForm, fields, "The form");
    if ((form.text === undefined) === (file === undefined)) {
      throw new HttpError("invalid", "The form must have exactly one of text (a note) and file");
    }
    if (file?.sizeBytes === 0) throw new HttpError("invalid", "file must not be empty");
    return toJob(form, file);
  } catch (error) {
    if (file) await options.spool.remove(file.name).catch(() => {});
    throw error;
  }
}

function toJob(
  { text = "", title, source_path: sourcePath, tags }: JobForm,
  file: ReceivedFile | undefined,
): NewJob {
  const source = file
    ? {
      spoolFile: file.name,
      contentHash: file.sha256,
      sizeBytes: file.sizeBytes,
      ...(file.filename === undefined ? {} : { filename: file.filename }),
      ...(file.contentType === undefined ? {} : { contentType: file.contentType }),
    }
    : {
      text,
      contentHash: createHash("sha256").update(text, "utf8").digest("hex"),
      sizeBytes: encoder.encode(text).byteLength,
    };
  return {
    ...source,
    ...(title === undefined ? {} : { title }),
    ...(sourcePath === undefined ? {} : { sourcePath }),
    tags: [...new Set(tags)],
  };
}

function addField(fields: Record<string, string | string[]>, name: string, value: string): void {
  if (!FIELDS.includes(name)) {
    throw new HttpError(
      "invalid",
      `The form has an unknown field ${JSON.stringify(name.slice(0, 60))}: it takes ${
        FIELDS.join(", ")
      } and file`,
    );
  }
  if (name === "tags") fields.tags = [...fields.tags ?? [], value];
  else if (name in fields) throw new HttpError("invalid", `${name} must be given once`);
  else fields[name] = value;
}

/** A field as text. `FormData` writes every line end as CRLF (HTML §4.10.21.8), which is not what was typed. */
async function readField({ name, body }: Part): Promise<string> {
  const max = name === "text" ? TEXT_BYTES : FIELD_BYTES;
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let text = "";
  try {
    for await (const piece of limit(body, max, name)) text += decoder.decode(piece, { stream: true });
    text += decoder.decode();
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new HttpError("invalid", `${name.slice(0, 60)} must be UTF-8 text`, { cause });
  }
  return text.replace(/\r\n?/g, "\n");
}

async function* limit(
  pieces: AsyncIterable<Uint8Array>,
  maxBytes: number,
  name = "file",
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const piece of pieces) {
    size += piece.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes, name.slice(0, 60));
    yield piece;
  }
}
