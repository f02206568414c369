/** Removes a database with its log; with `logOnly`, only the log. */
export function removeDatabase(path: string, { logOnly = false }: { logOnly?: boolean } = {}): void {
  const files = [`${path}-wal`, `${path}-shm`, `${path}-journal`];
  for (const file of logOnly ? files : [path, ...files]) removeFile(file);
}

/** Removes a file if it exists. */
export function removeFile(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Waits until the content of a file is on disk. */
export function syncFile(path: string): void {
  using file = Deno.openSync(path, { write: true });
  file.syncSync();
}

/** Waits until the names in a directory are on disk. */
export function syncDirectory(path: string): void {
  if (Deno.build.os === "windows") return;
  using directory = Deno.openSync(path);
  directory.syncSync();
}
