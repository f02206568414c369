import { fileURLToPath } from "node:url";
import { PERMISSIONS } from "../../scripts/permissions.ts";
import { runCommand } from "../../scripts/run_command.ts";
import { ServerProcess } from "../../scripts/server_process.ts";

/**
 * Starts the program from its sources as a user does, with the permissions of the executable, in a directory of its
 * own; its settings come from `env` alone.
 *
 * @param directory Becomes its home, where it keeps its data.
 */
export async function startProduct(
  directory: string,
  env: Record<string, string> = {},
): Promise<ServerProcess> {
  const config = fileURLToPath(new URL("../../deno.json", import.meta.url));
  const main = fileURLToPath(new URL("../../main.ts", import.meta.url));
  return await ServerProcess.start({
    command: [Deno.execPath(), "run", "--config", config, ...PERMISSIONS, main, "serve"],
    directory,
    env: { KB_MCP_PORT: "0", KB_DATA_DIR: `${directory}/data`, DENO_DIR: await denoDir(), ...env },
  });
}

let knownDenoDir: Promise<string> | undefined;

/** Where this machine's Deno keeps packages: the program's own home is empty. */
export function denoDir(): Promise<string> {
  return knownDenoDir ??= runCommand(["deno", "info", "--json", "--no-config"])
    .then(({ output }) => JSON.parse(output).denoDir);
}
