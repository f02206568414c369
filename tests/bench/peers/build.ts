/**
 * `deno task bench:peers`: builds the servers that the protocol benchmark compares with into `dist/peers`.
 * Skips those whose toolchain or packages are not available, and prints the reason.
 *
 * @module
 */
import { print } from "../../../scripts/print.ts";
import { runCommand } from "../../../scripts/run_command.ts";
import { folderOf, markerOf, type Peer, PEERS } from "../peers.ts";

/** Copies the sources of a peer and builds them there, so that no build output gets into the source tree. */
async function build(peer: Peer): Promise<void> {
  const folder = folderOf(peer);
  await Deno.mkdir(folder, { recursive: true });
  await Deno.remove(markerOf(peer)).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  await copyFolder(new URL(`${peer.name}/`, import.meta.url).pathname, `${folder}/`);
  for (const command of peer.build(folder)) {
    const { code, output } = await runCommand(command);
    if (code !== 0) throw new Error(`${command.join(" ")} failed:\n${output.trim()}`);
  }
  await Deno.writeTextFile(markerOf(peer), "");
}

async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyFolder(`${from}${name}/`, `${to}${name}/`);
    else await Deno.copyFile(from + name, to + name);
  }
}

for (const peer of PEERS) {
  const started = performance.now();
  try {
    await build(peer);
    print(`peer ${peer.name}: built (${((performance.now() - started) / 1000).toFixed(0)} s)`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    print(`peer ${peer.name}: skipped: ${reason}`);
  }
}
