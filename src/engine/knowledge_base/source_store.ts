import type * as z from "zod";
import type { NewSource, SourceSection, SyncReport } from "../../contract/mod.ts";
import type { IngestedFile } from "./ingestion_queue.ts";

/** Options of a source, as the contract defines them. */
export type SourceOptions = Omit<z.output<typeof NewSource>, "name" | "path" | "url">;

/** A source to store. */
export interface SourceDefinition {
  /** Unique name. */
  readonly name: string;
  /** Kind of the location. */
  readonly type: "folder" | "web";
  /** Absolute path of a folder, or URL. */
  readonly location: string;
  /** Options of the owner. */
  readonly options: SourceOptions;
  /** Whether the configuration defines it. */
  readonly configured: boolean;
}

/** A stored source. */
export interface StoredSource extends SourceDefinition {
  /** Id of the source. */
  readonly id: number;
  /** The last synchronization; null if there was none. */
  readonly lastSync: SyncReport | null;
  /** When it was added. */
  readonly createdAt: string;
}

/** Number of documents of a source. */
export interface SourceCounts {
  /** Documents in all. */
  readonly documents: number;
  /** By section. */
  readonly sections: readonly SourceSection[];
}

/** A file as it was when it was last read. Times are in milliseconds since 1970. */
export interface FileState {
  /** Size in bytes. */
  readonly size: number;
  /** Time of the last change of the content. */
  readonly mtime: number;
  /** Time of the last change of the inode. */
  readonly ctime: number;
  /** Time before it was read. A change within the resolution of `mtime` is invisible in the other fields. */
  readonly checkedAt: number;
}

/** A file of a source, with the document that it has. */
export interface SourceFile {
  /** Path inside the source. */
  readonly path: string;
  readonly state: FileState;
  /** SHA-256 of the bytes that were last read; null if the file has to be read again. */
  readonly contentHash: string | null;
  /** Id of its document; null if it has none, or the document is deleted. */
  readonly documentId: number | null;
  /** Tags from the options of the source, as they were applied. */
  readonly givenTags: readonly string[];
  /** Why it has no document. */
  readonly error: { readonly code: string; readonly message: string } | null;
  /** Data of the source's type, such as an ETag. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** Where the document of a file belongs. */
export interface SourceFileTarget {
  /** Id of the source. */
  readonly sourceId: number;
  /** Path inside the source. */
  readonly path: string;
}

/** State of the content of a file. */
export interface FileContentState extends SourceFileTarget {
  readonly state: FileState;
  /** SHA-256 of the bytes; null if they were not all read. */
  readonly contentHash: string | null;
  /** @default {{}} */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A file with its extracted text. */
export interface NewSourceDocument extends FileContentState {
  readonly contentHash: string;
  /** The extracted document. */
  readonly document: Omit<IngestedFile, "jobId">;
  /** Tags from the options of the source, with its collection. */
  readonly givenTags: readonly string[];
}

/** Result of storing a file. */
export interface StoredSourceDocument {
  readonly documentId: number;
  readonly outcome: "created" | "updated";
}

/** A file with a new path and the same content. */
export interface MovedFile extends SourceFileTarget {
  /** New path. */
  readonly to: string;
  readonly state: FileState;
  /** Whether its name is part of the document, so that the file must be read again. */
  readonly mustRead: boolean;
}

/**
 * The sources of a knowledge base, and the files that their documents come from. A file and its document change in one
 * transaction: after a crash at any moment, the next synchronization finds the missing files.
 */
export interface SourceStore {
  /** All sources by name. */
  list(): Promise<StoredSource[]>;
  /** Returns a source. */
  get(id: number): Promise<StoredSource | undefined>;
  /** Counts the documents of a source. */
  counts(id: number): Promise<SourceCounts>;
  /** Returns files of a source: all, or these and those below these folders. */
  files(id: number, paths?: readonly string[]): Promise<SourceFile[]>;
  /** Adds a source, or changes the options of the one with the same name and location. Throws `conflict`, `invalid`. */
  put(source: SourceDefinition): Promise<StoredSource>;
  /** Marks sources that are no longer in the configuration as the user's own. */
  setConfigured(names: readonly string[]): Promise<void>;
  /** Stores the report of the last synchronization. */
  report(id: number, report: SyncReport): Promise<void>;
  /** Removes a source. The documents of its files become independent. */
  remove(id: number): Promise<void>;
  /** Stores the document of a file. Throws `conflict` if another document has its path, `not_found` without source. */
  storeFile(file: NewSourceDocument): Promise<StoredSourceDocument>;
  /** Records why a file has no document. A document of its former content moves to the trash. */
  failFile(file: FileContentState, error: { readonly code: string; readonly message: string }): Promise<void>;
  /** Records that the content of files has not changed. */
  touchFiles(files: readonly FileContentState[]): Promise<void>;
  /** Moves a file with its document. Throws `conflict` if another document has the path. */
  moveFile(file: MovedFile): Promise<void>;
  /** Applies changed tags of the source to the documents of files. */
  tagFiles(sourceId: number, paths: readonly string[], givenTags: readonly string[]): Promise<void>;
  /** Moves the documents of files to the trash. Returns their number. */
  removeFiles(sourceId: number, paths: readonly string[]): Promise<number>;
}
