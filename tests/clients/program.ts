import { denoDir } from "../support/product.ts";

/** Maximum duration of a client program in milliseconds, including its first download. */
const TIME_LIMIT_MS = 120_000;

/**
 * Runs a program of an npm package and parses the JSON that it prints. It runs in Deno, because Node.js may
 * not be installed.
 *
 * @param specifier Package and version, with the program's name if it has several.
 * @param home Home and working directory, which keeps it from reading existing configuration.
 * @throws {Error} When its exit status is not 0.
 */
export async function runProgram(specifier: string, args: readonly string[], home: string): Promise<unknown> {
  await download(specifier);
  const { code, stdout, stderr } = await deno([
    "run",
    "-A",
    "--cached-only",
    ...QUIET,
    specifier,
    ...args,
  ], {
    cwd: home,
    clearEnv: true,
    env: { PATH: Deno.env.get("PATH") ?? "", HOME: home, DENO_DIR: await denoDir(), NO_COLOR: "1" },
  });
  if (code === 0) return JSON.parse(stdout);
  throw new Error(`${specifier} exited with status ${code}:\n${stdout}${stderr}`);
}

/**
 * The clients' exact versions have dependencies without one: a release of these after this day cannot break a run. It is
 * also in the task `clients`.
 */
const BEFORE = "--minimum-dependency-age=2026-11-20";
const QUIET = ["--quiet", "--no-config", "--no-lock", BEFORE];
const downloads = new Map<string, Promise<void>>();

/**
 * Downloads a package with the machine's settings (registry, certificates), which the program itself does not
 * get.
 */
function download(specifier: string): Promise<void> {
  const known = downloads.get(specifier) ?? (async () => {
    const { code, stderr } = await deno(["cache", ...QUIET, specifier], {});
    if (code !== 0) throw new Error(`Cannot download ${specifier}:\n${stderr}`);
  })();
  downloads.set(specifier, known);
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
  const output = await command.output();
  const decoder = new TextDecoder();
  return { code: output.code, stdout: decoder.decode(output.stdout), stderr: decoder.decode(output.stderr) };
}
