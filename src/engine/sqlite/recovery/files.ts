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
