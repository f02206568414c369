import type { SourceStore } from "../knowledge_base/mod.ts";
import { listSources, sourceCounts, sourceFiles, storedSource } from "./store/mod.ts";
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
    storeFile: (file) => write("storeSourceFile", file),
    failFile: (file, error) => write("failSourceFile", file, error),
    touchFiles: (files) => write("touchSourceFiles", files),
    moveFile: (file) => write("moveSourceFile", file),
    tagFiles: (sourceId, paths, givenTags) => write("tagSourceFiles", sourceId, paths, givenTags),
    removeFiles: (sourceId, paths) => write("removeSourceFiles", sourceId, paths),
  };
}
