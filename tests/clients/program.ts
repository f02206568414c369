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
  await fetched(specifier);
  const { code, said, complained } = await deno([
    "run",
    "-A",
    "--cached-only",
    ...QUIETLY,
    specifier,
    ...args,
  ], {
    cwd: home,
    clearEnv: true,
    env: { PATH: Deno.env.get("PATH") ?? "", HOME: home, DENO_DIR: await denoDir(), NO_COLOR: "1" },
  });
  if (code === 0) return JSON.parse(said);
  throw new Error(`It ended with status ${code}:\n${said}${complained}`);
}

const QUIETLY = ["--quiet", "--no-config", "--no-lock"];
const fetching = new Map<string, Promise<void>>();

/** Fetches a package by the settings of this machine (registry, certificates), which the program itself does not see. */
function fetched(specifier: string): Promise<void> {
  const known = fetching.get(specifier) ?? (async () => {
    const { code, complained } = await deno(["cache", ...QUIETLY, specifier], {});
    if (code !== 0) throw new Error(`${specifier} cannot be fetched:\n${complained}`);
  })();
  fetching.set(specifier, known);
  return known;
}

async function deno(args: readonly string[], options: Deno.CommandOptions) {
  const command = new Deno.Command(Deno.execPath(), {
    ...options,
    args: [...args],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    signal: AbortSignal.timeout(TIME_LIMIT_MS),
  });
  const { code, stdout, stderr } = await command.output();
  const decoder = new TextDecoder();
  return { code, said: decoder.decode(stdout), complained: decoder.decode(stderr) };
}
