import { assertEquals } from "@std/assert";
import { print } from "../../scripts/print.ts";

const canMount = await hasMountNamespace();
if (!canMount) {
  print(
    "skipped: tests of full and read-only disks need `unshare --mount`, as root or with user namespaces",
  );
}

Deno.test({
  name: "on a full disk writes fail without effect, searches work, and it is ready again when space is free",
  ignore: !canMount,
  fn: async () => {
    assertEquals(await outcome("full"), [
      { added: [507, "storage_full", true], found: 1, ready: [503, { status: "storage_full" }] },
      { added: [202], ready: [200, { status: "ready" }] },
    ]);
  },
});

Deno.test({
  name: "on a read-only disk searches work, and writes are rejected without effect, with or without a log",
  ignore: !canMount,
  fn: async () => {
    const observed = { added: [503, "read_only", true], found: 1, ready: [503, { status: "read_only" }] };
    assertEquals(await outcome("read-only"), [
      observed,
      observed,
      // Without shared memory the log cannot be read, and without the log documents would be missing.
      'KB_DATA_DIR "PATH" is on a read-only disk, and kb.db has a write-ahead log, which only a start on a writable ' +
      "disk can apply: make it writable",
      // As left by older versions.
      'KB_DATA_DIR "PATH" is on a read-only disk, and kb.db lacks kb.db-wal and kb.db-shm, without which it cannot be ' +
      "read there: make the disk writable, then start and stop kb-mcp once, which leaves them",
    ]);
  },
});

Deno.test({
  name: "on a full disk repair, vacuum, backup and doctor name the disk, and leave no files",
  ignore: !canMount,
  fn: async () => {
    assertEquals(await outcome("full-recovery"), [
      [
        "DataDirError",
        'Cannot repair KB_DATA_DIR "DISK/data": its disk is full or failing. Nothing was changed: free as much space as ' +
        "kb.db takes, or write the result to another disk with --into DIR",
      ],
      [
        "DataDirError",
        'Cannot repair KB_DATA_DIR "DISK/into": its disk is full or failing. Nothing was changed: free as much space as ' +
        "kb.db takes, or write the result to another disk with --into DIR",
      ],
      ["DataDirError", 'Cannot vacuum KB_DATA_DIR "DISK/data": its disk is full'],
      ["DataDirError", 'Cannot write the backup to "DISK/backup.db": its disk is full or failing'],
      "fail",
      [
        ["data", "fill", "into", "rest"],
        ["kb.commit", "kb.db", "kb.db-shm", "kb.db-wal", "lock.db", "reindex.db", "spool"],
        ["spool"],
        [],
      ],
    ]);
  },
});

/** Runs disk_process.ts in a mount namespace of its own. */
async function outcome(name: string): Promise<unknown> {
  const mountPoint = await Deno.makeTempDir();
  const script = new URL("./disk_process.ts", import.meta.url).pathname;
  // Not every permission, as in production: Deno opens SQLite's URIs only with all of them.
  const permissions = ["read", "write", "env", "net", "run", "sys"].map((each) => `--allow-${each}`);
  const args = ["-rm", Deno.execPath(), "run", ...permissions, "--no-check", script, mountPoint, name];
  const { code, stdout, stderr } = await new Deno.Command("unshare", { args }).output();
  await Deno.remove(mountPoint);
  if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}

async function hasMountNamespace(): Promise<boolean> {
  if (Deno.build.os !== "linux") return false;
  try {
    return (await new Deno.Command("unshare", { args: ["-rm", "true"] }).output()).success;
  } catch {
    return false;
  }
}
