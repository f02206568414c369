import type { NewSourceDocument, SourceStore, StoredSourceDocument } from "../knowledge_base/mod.ts";
import { changeWithText } from "./stage_text.ts";
import {
  listSources,
  MAX_REMOVED_CHUNKS,
  sourceCounts,
  sourceFiles,
  sourceTitle,
  storedSource,
} from "./store/mod.ts";
import type { StoreAccess } from "./store_access.ts";

/** The sources of a store. */
export function sourceStore({ write, read }: StoreAccess): SourceStore {
  return {
    list: () => read(listSources),
    get: (id) => read((db) => storedSource(db, id)),
    counts: (id) => read((db) => sourceCounts(db, id)),
    files: (id, paths) => read((db) => sourceFiles(db, id, paths)),
    put: (source) => write("putSource", source),
    setConfigured: (names) => write("setConfigured", names),
    report: (id, report) => write("reportSync", id, report),
    remove: (id) => write("removeSource", id),
    storeFile: (file) => storeFile(write, file),
    failFile: (file, error) => write("failSourceFile", file, error),
    touchFiles: (files) => write("touchSourceFiles", files),
    moveFile: (file) => write("moveSourceFile", file),
    tagFiles: (sourceId, paths, givenTags) => write("tagSourceFiles", sourceId, paths, givenTags),
    removeFiles: (sourceId, paths) => write("removeSourceFiles", sourceId, paths),
  };
}

/** Stores a file with its document: a long text in slices, between which other writes run. */
async function storeFile(
  write: StoreAccess["write"],
  file: NewSourceDocument,
): Promise<StoredSourceDocument> {
  const { chunks } = file.document;
  if (chunks.length <= MAX_REMOVED_CHUNKS) return await write("storeSourceFile", file);
  const read = (from: number, limit: number) => chunks.slice(from, from + limit);
  return await changeWithText(
    write,
    { title: sourceTitle(file), read },
    (contentId) =>
      write("storeSourceFile", { ...file, document: { ...file.document, chunks: [], contentId } }),
  );
}
