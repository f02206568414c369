import { fileURLToPath } from "node:url";

/** The command line of the extraction process. */
export interface ExtractionCommand {
  /** Path or name of the program. */
  readonly program: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** The extraction process may not be started. The message is for the operator. */
export class ExtractionPermissionError extends Error {
  /** Always `ExtractionPermissionError`. */
  override name = "ExtractionPermissionError";
}

/** Language data for OCR, which the process reads before it drops its permissions. */
export interface OcrSettings {
  /** Paths of `<code>.traineddata` files. */
  readonly files: readonly string[];
  /** Time for all images of a file, in milliseconds. */
  readonly timeoutMs: number;
}

/** Part of the memory limit that V8's heap may use. Buffers and code need the rest. */
const HEAP_SHARE = 0.75;
/**
 * Size of a half of the heap's young generation. A PDF of 3,900 pages takes 274 MiB with it and 346 MiB with V8's
 * default of 16, in about the same time.
 */
const SEMI_SPACE_MIB = 4;
/**
 * Makes glibc return freed buffers to the operating system. By default it keeps blocks up to the size of the largest
 * one that was ever freed: after a PDF of 400 pages the process has 151 MiB with these settings and 175 without, after
 * two texts of 12 MB 128 and 156, in the same time.
 */
const MALLOC = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: "131072",
  MALLOC_TRIM_THRESHOLD_: "131072",
};
const MiB = 2 ** 20;

/**
 * Returns the command line that starts this program as an extraction process.
 *
 * @param options.savesMemory Trades speed for memory, which large files need.
 * @throws {ExtractionPermissionError} When this process may not start itself.
 */
export async function extractionCommand(
  { savesMemory = false, maxMemoryBytes, ocr }: {
    savesMemory?: boolean;
    maxMemoryBytes: number;
    ocr?: OcrSettings | undefined;
  },
): Promise<ExtractionCommand> {
  const program = await permittedProgram();
  const heap = `--max-old-space-size=${
    Math.floor((maxMemoryBytes * HEAP_SHARE) / MiB)
  },--max-semi-space-size=${SEMI_SPACE_MIB}${savesMemory ? ",--optimize-for-size" : ""}`;
  const files = ocr?.files ?? [];
  const worker = [
    "extract-worker",
    String(maxMemoryBytes),
    ...(ocr ? [String(ocr.timeoutMs), ...files] : []),
  ];
  if (Deno.build.standalone) return { program, args: worker, env: { ...environment(), DENO_V8_FLAGS: heap } };
  const isSource = import.meta.url.endsWith(".ts");
  const entry = new URL(isSource ? "../../main.ts" : "./main.js", import.meta.url);
  return {
    program,
    args: [
      "run",
      "--quiet",
      "--no-prompt",
      "--cached-only",
      "--ignore-env",
      `--v8-flags=${heap}`,
      // The sources import their parsers by name, which Deno permits; the bundle, by a computed one.
      ...(isSource ? [] : ["--no-config"]),
      ...readPermission([...(isSource ? [] : [folderOf(entry)]), ...files]),
      entry.href,
      ...worker,
    ],
    env: environment(),
  };
}

/** Returns the name of this program under which it may be started. */
async function permittedProgram(): Promise<string> {
  const names = [
    // Names the running file, wherever it is installed, and even after an upgrade has replaced it.
    ...(Deno.build.os === "linux" ? ["/proc/self/exe"] : []),
    Deno.execPath(),
    ...(Deno.build.standalone ? [] : ["deno"]),
  ];
  for (const command of names) {
    if ((await Deno.permissions.query({ name: "run", command })).state === "granted") return command;
  }
  throw new ExtractionPermissionError(
    "Cannot read files: kb-mcp must be permitted to start itself as the process that extracts text. Add " +
      `--allow-run=${names[0]} to the flags of Deno`,
  );
}

/**
 * Returns the environment of the process: where Deno keeps npm packages, how memory is allocated, and the basics of
 * Windows.
 */
function environment(): Record<string, string> {
  const all = {
    ...(Deno.build.standalone ? {} : {
      HOME: Deno.env.get("HOME"),
      DENO_DIR: Deno.env.get("DENO_DIR"),
      XDG_CACHE_HOME: Deno.env.get("XDG_CACHE_HOME"),
      LOCALAPPDATA: Deno.env.get("LOCALAPPDATA"),
      NPM_CONFIG_REGISTRY: Deno.env.get("NPM_CONFIG_REGISTRY"),
    }),
    ...(Deno.build.os === "linux" ? MALLOC : {}),
    SystemRoot: Deno.build.os === "windows" ? Deno.env.get("SystemRoot") : undefined,
  };
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Returns the folder of a module. */
function folderOf(module: URL): string {
  return fileURLToPath(new URL(".", module));
}

/**
 * Returns the flag that permits to read some paths.
 *
 * @throws {ExtractionPermissionError} When a path contains a comma, which separates paths: Deno has no escape for it.
 */
function readPermission(paths: readonly string[]): string[] {
  const invalid = paths.find((path) => path.includes(","));
  if (invalid !== undefined) {
    throw new ExtractionPermissionError(
      `Cannot read files: the path must not contain a comma, got ${invalid}. Move its folder`,
    );
  }
  return paths.length === 0 ? [] : [`--allow-read=${paths.join(",")}`];
}
