/**
 * Measures search libraries on the chunks of a data directory of `build.ts`:
 * `deno run -A tests/bench/scale/peers.ts [--data DIRECTORY] [--chunks 100000] [--environment DIRECTORY]`.
 *
 * Installs the libraries from PyPI into a virtual environment, a temporary one by default. Skips those that cannot be
 * installed or run.
 *
 * @module
 */
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { print } from "../../../scripts/print.ts";
import { runCommand } from "../../../scripts/run_command.ts";
import { type StoredText, textOf } from "../../../src/engine/sqlite/store/mod.ts";
import { sizeName, temporaryDirectory } from "./subject.ts";
import { textVector } from "./text_vectors.ts";

const SOURCES = new URL("../peers/search/", import.meta.url).pathname;

/** One line of the output of `peers/search/main.py`. */
interface PeerFigure {
  readonly peer: string;
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

/** Measures all peers and prints their figures. */
export async function measurePeers(dataDir: string, environment: string | undefined): Promise<void> {
  await using temporary = await temporaryDirectory();
  const python = await install(environment ?? `${temporary.path}/environment`);
  if (python === undefined) return;
  const vectors = `${temporary.path}/vectors.f32`;
  const texts = `${temporary.path}/texts.jsonl`;
  await writeTexts(dataDir, { texts, vectors });
  const child = new Deno.Command(python, {
    args: [`${SOURCES}main.py`, dataDir, texts, vectors],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let rest = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const { peer, name, value, unit } = JSON.parse(line) as PeerFigure;
      print(
        `  ${`${peer}, ${name}`.padEnd(46)} ${value < 100 ? value.toFixed(2) : value.toFixed(0)} ${unit}`
          .trimEnd(),
      );
    }
  }
  await child.status;
}

/** Returns the Python of the environment; undefined if it cannot be made. */
async function install(environment: string): Promise<string | undefined> {
  const python = `${environment}/bin/python`;
  if (await Deno.stat(python).then(() => true, () => false)) return python;
  for (
    const command of [
      ["python3", "-m", "venv", environment],
      [`${environment}/bin/pip`, "install", "--quiet", "--requirement", `${SOURCES}requirements.txt`],
    ]
  ) {
    const { code, output } = await runCommand(command);
    if (code === 0) continue;
    print(`peers skipped: ${command.join(" ")} failed:\n${output.trim()}`);
    return undefined;
  }
  return python;
}

/** Writes the texts of the chunks, one a line in JSON, and their vectors. */
async function writeTexts(
  dataDir: string,
  paths: { readonly texts: string; readonly vectors: string },
): Promise<void> {
  using db = new DatabaseSync(`${dataDir}/kb.db`, { readOnly: true });
  using texts = await Deno.open(paths.texts, { write: true, create: true });
  using vectors = await Deno.open(paths.vectors, { write: true, create: true });
  const encoder = new TextEncoder();
  for (const row of db.prepare("SELECT text FROM chunks ORDER BY id").iterate()) {
    const text = textOf(db, row["text"] as StoredText);
    texts.writeSync(encoder.encode(`${JSON.stringify(text)}\n`));
    vectors.writeSync(new Uint8Array(textVector(text).buffer));
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    args: Deno.args,
    options: {
      data: { type: "string", default: "dist/scale" },
      chunks: { type: "string", default: "100000" },
      environment: { type: "string" },
    },
  });
  await measurePeers(`${values.data}/${sizeName(Number(values.chunks))}`, values.environment);
}
