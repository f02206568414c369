const PROTECTED = "kb-mcp has no permission for this path, as for everything in /proc, /sys and /dev";

/**
 * Returns the operating system's reason of an error, such as `Permission denied`, without the number and the
 * path that Deno adds, and the code and the path of Node's API.
 *
 * @example
 * ```ts
 * import { systemReason } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * const error = new Deno.errors.NotFound("No such file or directory (os error 2): open '/a'");
 * assertEquals(systemReason(error), "No such file or directory");
 * ```
 */
export function systemReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Deno advises to run the program again with other flags.
  if (error instanceof Deno.errors.NotCapable) return PROTECTED;
  // Node's: "EACCES: permission denied, open '/a'".
  const { code } = error as { code?: unknown };
  if (typeof code === "string" && error.message.startsWith(`${code}: `)) {
    const [reason = ""] = error.message.slice(code.length + 2).split(", ", 1);
    return reason.slice(0, 1).toUpperCase() + reason.slice(1);
  }
  return error.message.replace(/ \(os error \d+\).*/s, "");
}
