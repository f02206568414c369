/**
 * `deno task test [PATH...] [OPTION...]`: runs the test files of some paths, by default of `tests`, in random order.
 * Options are those of `deno test`; `--shuffle=SEED` repeats the order of another run. Types are not checked.
 *
 * `deno test` starts an isolate for each file, and loads all modules again. With many files that takes longer than
 * most tests, so that this script combines random files to groups, which share an isolate: tests must depend neither on
 * their order nor on what other tests have loaded.
 *
 * @module
 */
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { seededRandom } from "../tests/support/random.ts";
import { print } from "./print.ts";

/** Maximum number of groups. Each loads most modules once; more of them keep the workers busy until the end. */
const MAX_GROUPS = 24;
/** Number of files from which there are more groups. */
const MIN_FILES = 2;

/** Isolates that run at the same time. More than processors, since tests wait for threads, processes and disks. */
const JOBS = "4";

const OPTIONS = [
  // `deno task ok` checks types. Here each isolate would check the modules of the first thread that it starts, while tests
  // wait for that thread.
  "--no-check",
  "--v8-flags=--min-semi-space-size=8",
  "--parallel",
  "--sanitize-ops",
  "--sanitize-resources",
];

/** Names of files that `deno test` runs. */
const TEST_FILE = /(?:^|[._])test\.m?[jt]sx?$/;

/** Options with which `deno test` does not load all files. */
const PARTIAL = /^--(?:no-run|fail-fast|shard|changed|related)\b/;

/** Arguments by meaning. */
export interface TestArguments {
  /** Files and folders; empty for all tests. */
  readonly paths: readonly string[];
  /** Number that determines groups and order. */
  readonly seed: number;
  /** Other options, for `deno test`. */
  readonly options: readonly string[];
}

/** Parses arguments. A path is an argument that exists and is not the value of an option. */
export function parseArguments(args: readonly string[]): TestArguments {
  const paths: string[] = [];
  const options: string[] = [];
  let seed = crypto.getRandomValues(new Uint32Array(1))[0]!;
  for (const [index, argument] of args.entries()) {
    const isValue = /^--(?:filter|reporter|config|ignore)$/.test(args[index - 1] ?? "");
    if (/^--shuffle=\d+$/.test(argument)) seed = Number(argument.slice("--shuffle=".length));
    else if (argument === "--shuffle") continue;
    else if (isValue || argument.startsWith("-")) options.push(argument);
    else paths.push(argument);
  }
  return { paths, seed, options };
}

/** Returns the absolute paths of the test files of a path, which may itself be a file of any name. */
export async function testFiles(path: string): Promise<string[]> {
  if (!(await Deno.stat(path)).isDirectory) return [resolve(path)];
  const found: string[] = [];
  for await (const entry of Deno.readDir(path)) {
    if (entry.isDirectory) found.push(...await testFiles(join(path, entry.name)));
    else if (TEST_FILE.test(entry.name)) found.push(resolve(path, entry.name));
  }
  return found;
}

/** Distributes files to groups of about equal size, in an order that depends only on the seed. */
export function groupFiles(files: readonly string[], seed: number): string[][] {
  const random = seededRandom(seed);
  const rest = [...new Set(files)].sort();
  const length = Math.min(MAX_GROUPS, Math.ceil(rest.length / MIN_FILES));
  const groups: string[][] = Array.from({ length }, () => []);
  for (let n = 0; rest.length > 0; n++) {
    const drawn = random.int(rest.length);
    groups[n % groups.length]!.push(rest[drawn]!);
    rest[drawn] = rest.at(-1)!;
    rest.pop();
  }
  return groups;
}

/** Returns a module that loads the files of a group, and then creates the file next to it that says so. */
function moduleOf(files: readonly string[]): string {
  const imports = files.map((file) => `import ${JSON.stringify(pathToFileURL(file).href)};\n`).join("");
  return `${imports}Deno.writeTextFileSync(import.meta.filename + ".loaded", "");\n`;
}

/** Runs the tests; resolves to the exit status. */
async function runTests({ paths, seed, options }: TestArguments): Promise<number> {
  const files = (await Promise.all((paths.length > 0 ? paths : ["tests"]).map(testFiles))).flat();
  if (files.length === 0) throw new Deno.errors.NotFound(`Cannot test: no test files in ${paths.join(", ")}`);
  const groups = groupFiles(files, seed);
  const directory = await Deno.makeTempDir({ prefix: "kb-mcp-tests-" });
  try {
    const modules = await Promise.all(groups.map(async (group, n) => {
      // A file of its own needs no module, and is reported by its name.
      if (group.length === 1) return group[0]!;
      const module = join(directory, `group_${n + 1}.js`);
      await Deno.writeTextFile(module, moduleOf(group));
      return module;
    }));
    print(`${groups.flat().length} test files in ${groups.length} groups. To repeat: --shuffle=${seed}`);
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: ["test", "-A", ...OPTIONS, `--shuffle=${seed}`, ...options, ...modules],
      env: { DENO_JOBS: Deno.env.get("DENO_JOBS") ?? JOBS },
    }).spawn().status;
    if (code !== 0 || options.some((option) => PARTIAL.test(option))) return code;
    // Success must mean that every file was loaded.
    const loaded = new Set(
      await Array.fromAsync(Deno.readDir(directory), ({ name }) => join(directory, name)),
    );
    const missing = modules.filter((module) =>
      dirname(module) === directory && !loaded.has(`${module}.loaded`)
    );
    if (missing.length > 0) print(`error: These groups of test files were not run: ${missing.join(", ")}`);
    return missing.length > 0 ? 1 : 0;
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

if (import.meta.main) {
  // Ctrl-C ends `deno test`, and then this script, which removes its modules.
  Deno.addSignalListener("SIGINT", () => {});
  Deno.exit(await runTests(parseArguments(Deno.args)));
}
