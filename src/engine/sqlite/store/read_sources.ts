import type { DatabaseSync } from "node:sqlite";
import type { SyncReport } from "../../../contract/mod.ts";
import type {
  SourceCounts,
  SourceDefinition,
  SourceFile,
  SourceOptions,
  StoredSource,
} from "../../knowledge_base/mod.ts";
import { all, dataVersion, first } from "./sql.ts";

interface SourceRow {
  id: number;
  name: string;
  type: SourceDefinition["type"];
  location: string;
  options: string;
  configured: number;
  last_sync: string | null;
  created_at: string;
}

const COLUMNS = "id, name, type, location, options, configured, last_sync, created_at";

/** Returns all sources by name. */
export function listSources(db: DatabaseSync): StoredSource[] {
  return all<SourceRow>(db, `SELECT ${COLUMNS} FROM sources ORDER BY name`).map(toSource);
}

/** Returns a source by id. */
export function storedSource(db: DatabaseSync, id: number): StoredSource | undefined {
  const row = first<SourceRow>(db, `SELECT ${COLUMNS} FROM sources WHERE id = ?`, id);
  return row && toSource(row);
}

/** Returns a source by name. */
export function sourceNamed(db: DatabaseSync, name: string): StoredSource | undefined {
  const row = first<SourceRow>(db, `SELECT ${COLUMNS} FROM sources WHERE name = ?`, name);
  return row && toSource(row);
}

/** Counts of sources at a version of the data, by connection. */
const knownCounts = new WeakMap<DatabaseSync, { version: number; bySource: Map<number, SourceCounts> }>();

/**
 * Counts the documents of a source by section: the first folder of their path. Counts again only after a change, since
 * each read of a file by an agent describes its source, and counting reads every row.
 *
 * @param db A connection that does not write: `data_version` changes with the commits of others.
 */
export function sourceCounts(db: DatabaseSync, id: number): SourceCounts {
  const version = dataVersion(db);
  let known = knownCounts.get(db);
  if (known?.version !== version) knownCounts.set(db, known = { version, bySource: new Map() });
  const counts = known.bySource.get(id) ?? countDocuments(db, id);
  known.bySource.set(id, counts);
  return counts;
}

function countDocuments(db: DatabaseSync, id: number): SourceCounts {
  const sections = all<{ name: string; documents: number }>(
    db,
    `SELECT substr(f.path, 1, max(instr(f.path, '/') - 1, 0)) AS name, count(*) AS documents
       FROM source_files f JOIN documents d ON d.id = f.document_id
      WHERE f.source_id = ? GROUP BY 1 ORDER BY 1`,
    id,
  );
  return { documents: sections.reduce((sum, { documents }) => sum + documents, 0), sections };
}

interface FileRow {
  path: string;
  size_bytes: number;
  mtime: number;
  ctime: number;
  checked_at: number;
  content_hash: string | null;
  document_id: number | null;
  given_tags: string;
  error_code: string | null;
  error: string | null;
  details: string | null;
}

const FILE_COLUMNS =
  `f.path, f.size_bytes, f.mtime, f.ctime, f.checked_at, f.content_hash, d.id AS document_id,
  f.given_tags, f.error_code, f.error, f.details`;

/**
 * The files with the paths in a JSON array, and those below them: `0` follows `/` in the order of characters. Each part
 * of the union uses the index; one condition with OR would scan all files.
 */
const SELECTED_FILES = `SELECT ${FILE_COLUMNS}
   FROM (
     SELECT s.* FROM json_each(?1) w CROSS JOIN source_files s ON s.source_id = ?2 AND s.path = w.value
     UNION
     SELECT s.* FROM json_each(?1) w CROSS JOIN source_files s ON s.source_id = ?2
        AND s.path > w.value || '/' AND s.path < w.value || '0'
   ) f LEFT JOIN documents d ON d.id = f.document_id`;
const ALL_FILES = `SELECT ${FILE_COLUMNS}
   FROM source_files f LEFT JOIN documents d ON d.id = f.document_id WHERE f.source_id = ?`;

/**
 * Returns files of a source.
 *
 * @param paths Only these files, and the files below these folders. Default: all files.
 */
export function sourceFiles(db: DatabaseSync, id: number, paths?: readonly string[]): SourceFile[] {
  const rows = paths
    ? all<FileRow>(db, SELECTED_FILES, JSON.stringify(paths), id)
    : all<FileRow>(db, ALL_FILES, id);
  return rows.map((row) => ({
    path: row.path,
    state: { size: row.size_bytes, mtime: row.mtime, ctime: row.ctime, checkedAt: row.checked_at },
    contentHash: row.content_hash,
    documentId: row.document_id,
    givenTags: JSON.parse(row.given_tags) as string[],
    error: row.error_code === null ? null : { code: row.error_code, message: row.error ?? "" },
    details: row.details === null ? {} : JSON.parse(row.details) as Record<string, unknown>,
  }));
}

function toSource(row: SourceRow): StoredSource {
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    location: row.location,
    options: JSON.parse(row.options) as SourceOptions,
    configured: row.configured === 1,
    lastSync: row.last_sync === null ? null : JSON.parse(row.last_sync) as SyncReport,
    createdAt: row.created_at,
  };
}
