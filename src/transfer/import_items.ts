import type { ImportedDocument } from "../contract/mod.ts";

/** A file to upload, such as an attachment of a vault. */
export interface ImportedFile {
  readonly filename: string;
  readonly size: number;
  readonly sourcePath: string;
  readonly tags: readonly string[];
  readonly open: () => Promise<ReadableStream<Uint8Array>>;
}

/** One thing that an importer has found, with its name in the report. */
export type ImportItem =
  & { readonly name: string }
  & (
    | { readonly document: ImportedDocument }
    | { readonly file: ImportedFile }
    /** It cannot be imported. */
    | { readonly error: string }
    /** It is left out on purpose. */
    | { readonly skipped: string }
  );

/** Where an importer puts its documents. */
export interface Destination {
  /** Collection of new documents. */
  readonly collection: string;
  /** Tags of all documents. */
  readonly tags: readonly string[];
}

/** An input that no importer can read. The message says why, and what to do. */
export class ImportError extends Error {
  override name = "ImportError";
}

/** A file of an input. Its chunks must be read before the next file, and each is valid until the next. */
export interface InputFile {
  /** Path relative to the input, with `/` between its segments. */
  readonly name: string;
  readonly chunks: AsyncIterable<Uint8Array>;
}
