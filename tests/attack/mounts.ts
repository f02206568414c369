import { runCommand } from "../../scripts/run_command.ts";
import { type Attack, SkippedError } from "./attack.ts";

/**
 * Mounts a small file system in memory for the duration of an attack.
 *
 * @throws {SkippedError} Without the right to mount.
 */
export async function mountTmpfs(attack: Attack, size: string): Promise<string> {
  const path = await attack.directory();
  const { code, output } = await runCommand([
    "mount",
    "-t",
    "tmpfs",
    "-o",
    `size=${size}`,
    "kb-mcp-attack",
    path,
  ])
    .catch((error) => ({ code: 1, output: String(error) }));
  if (code !== 0) throw new SkippedError(`mounting a file system needs root: ${output.trim()}`);
  attack.defer(async () => {
    await runCommand(["umount", "--lazy", path]);
  });
  return path;
}

/** Makes a mounted file system read-only. */
export async function remountReadOnly(path: string): Promise<void> {
  const { code, output } = await runCommand(["mount", "-o", "remount,ro", path]);
  if (code !== 0) throw new Error(`cannot remount ${path}: ${output}`);
}
