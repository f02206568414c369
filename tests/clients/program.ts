import { denoDir } from "../support/product.ts";

/** How long a client program may take, in milliseconds: most of it goes into fetching it the first time. */
const TIME_LIMIT_MS = 120_000;

/**
 * Runs a client that is a program of an npm package, and reads the JSON that it prints. It runs in Deno, which these
 * programs work in and which is here: the Node.js that they ask for may not be.
 *
 * @param specifier Package, version and, where it has several, the program.
 * @param home Becomes its home and working directory, so that it finds nobody's configuration.
 * @throws {Error} When it ends with another status than 0.
 */
export async function runProgram(specifier: string, args: readonly string[], home: string): Promise<unknown> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--no-config", "--no-lock", specifier, ...args],
    cwd: home,
    clearEnv: true,
    env: { PATH: Deno.env.get("PATH") ?? "", HOME: home, DENO_DIR: await denoDir(), NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    signal: AbortSignal.timeout(TIME_LIMIT_MS),
  });
  const { code, stdout, stderr } = await child.output();
  const said = new TextDecoder().decode(stdout);
  if (code === 0) return JSON.parse(said);
  throw new Error(`It ended with status ${code}:\n${said}${new TextDecoder().decode(stderr)}`);
}
