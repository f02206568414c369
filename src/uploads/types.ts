import type { Logger } from "../telemetry/mod.ts";

/** Limits and injected effects of {@linkcode Uploads}. */
export interface UploadsOptions {
  /** Parent of the staging directory. Default: the system's directory for temporary files. */
  directory?: string | undefined;
  /** Largest file of one upload, in bytes (`KB_UPLOAD_MAX_BYTES`). */
  maxBytes: number;
  /** Uploads in progress per caller (`KB_UPLOAD_MAX_PER_TOKEN`). */
  maxPerCaller: number;
  /** Declared bytes of all uploads together (`KB_UPLOAD_MAX_STAGED`). */
  maxStagedBytes: number;
  /** Time after which an upload that receives nothing is removed, in milliseconds (`KB_UPLOAD_IDLE`). */
  idleMs: number;
  /** The clock, in milliseconds since 1970. Default: `Date.now`. */
  now?: () => number;
  /** Told of expired uploads, cleaned leftovers and files that could not be removed. Default: none. */
  log?: Logger;
}

/** What an upload is of, as declared at its start. */
export interface UploadRequest {
  /** Name of the file; of a path only the last segment counts. At most 255 bytes of UTF-8. */
  filename: string;
  /** Size of the file in bytes, at least 1. */
  totalSize: number;
  /** SHA-256 of the file in hexadecimal, any case, checked at the finish. */
  sha256?: string | undefined;
  /** Media type, passed on to the engine. */
  contentType?: string | undefined;
  /** Title of the document, passed on. */
  title?: string | undefined;
  /** Where the document comes from, passed on. */
  sourcePath?: string | undefined;
  /** The caller's tags, checked (see `collections`), passed on. */
  tags: readonly string[];
  /** Collection of the document, checked, passed on. */
  collection: string;
}

/** How far an upload is; plain JSON. */
export interface UploadState {
  /** UUID version 4. */
  upload_id: string;
  /** Name of the file, without a path. */
  filename: string;
  /** Bytes that have arrived. */
  received_bytes: number;
  /** The declared size of the file. */
  expected_bytes: number;
  /** Number of chunks; 0 for an upload by raw `PUT`. */
  chunks_received: number;
  /** The first {@linkcode MAX_LISTED} indexes that are missing below the highest received one. */
  missing_chunks: number[];
  /** How many indexes are missing below the highest received one. */
  missing_count: number;
  /** Lowest index that is missing, while chunks come and not all bytes are there: what to send next. */
  next_chunk_index?: number;
  /** Whether all bytes are there, so that the upload can be finished. */
  complete: boolean;
  /** When the upload is removed unless something arrives before, RFC 3339 in UTC. */
  expires_at: string;
}

/** Most indexes in `missing_chunks`. */
export const MAX_LISTED = 50;

/** A whole file, verified, on its way to the engine. */
export interface StagedFile {
  /** Name of the file, without a path. */
  filename: string;
  /** Media type, when one was declared. */
  contentType?: string | undefined;
  /** Bytes. */
  size: number;
  /** SHA-256 in lower-case hexadecimal. */
  sha256: string;
  /** Title of the document, when one was declared. */
  title?: string | undefined;
  /** Where the document comes from, when it was declared. */
  sourcePath?: string | undefined;
  /** The caller's tags, without that of the collection. */
  tags: readonly string[];
  /** Name of the collection. */
  collection: string;
  /**
   * The bytes from the start, in order; may be called again for another attempt.
   *
   * @param onTaken Told how many bytes of this attempt were taken, each time that more are asked for.
   */
  open(onTaken?: (bytes: number) => void): Promise<ReadableStream<Uint8Array>>;
}

/** Where the bytes of a raw `PUT` belong. */
export interface RawRange {
  /** Position of the first byte in the file. Default: the body is the whole file, from its start. */
  offset?: number | undefined;
  /** Bytes that the body holds. Default: all from `offset` to the end of the file. */
  length?: number | undefined;
  /** Size of the whole file as the `PUT` declares it. */
  total?: number | undefined;
}
