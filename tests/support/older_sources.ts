import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The sources of an older version of this program. Disposing removes them. */
export interface OlderSources extends AsyncDisposable {
  readonly root: string;
}

/**
 * Returns the last commit whose engine had a version of the contract; undefined without that history, such as in
 * a shallow clone or an archive.
 */
export async function lastCommitWith(contractVersion: string): Promise<string | undefined> {
  const search = `-SCONTRACT_VERSION = "${contractVersion}"`;
  const replaced = await git(["log", "-1", "--format=%H", search, "--", "src/contract/primitives.ts"]);
  if (!replaced) return undefined;
  return await git(["rev-parse", "--verify", "--quiet", `${new TextDecoder().decode(replaced).trim()}^`])
    .then((commit) => commit && (new TextDecoder().decode(commit).trim() || undefined));
}

/** Extracts the program as of a commit. */
export async function sourcesOf(commit: string): Promise<OlderSources> {
  const root = await Deno.makeTempDir({ prefix: "kb-mcp-older-" });
  const archive = await git(["archive", commit, "--", "main.ts", "deno.json", "deno.lock", "src"]);
  if (!archive) throw new Error(`Cannot read the sources of ${commit}`);
  const tar = new Deno.Command("tar", { args: ["-x", "-C", root], stdin: "piped" }).spawn();
  await new Blob([archive]).stream().pipeTo(tar.stdin);
  await tar.status;
  return { root, [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }) };
}

/** Runs git in this repository; undefined if it fails. */
async function git(args: readonly string[]): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    const command = new Deno.Command("git", { args: ["-C", ROOT, ...args], stderr: "null" });
    const { success, stdout } = await command.output();
    return success && stdout.length > 0 ? stdout : undefined;
  } catch {
    return undefined;
  }
}
