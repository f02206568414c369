import { fileURLToPath } from "node:url";
import { RUN_PERMISSIONS } from "../../scripts/permissions.ts";
import { runCommand } from "../../scripts/run_command.ts";
import { ServerProcess } from "../../scripts/server_process.ts";

/**
 * Starts the MCP server from its sources the way a user does, with the permissions of the executable, in its
 * own directory; its settings come from `env` only.
 *
 * @param directory Becomes its home, where it keeps its data.
 */
export function startProduct(directory: string, env: Record<string, string> = {}): Promise<ServerProcess> {
  return startCommand("serve", directory, { KB_MCP_PORT: "0", ...env });
}

/** Like {@linkcode startProduct}, for `kb-mcp engine`. */
export function startEngineProcess(
  directory: string,
  env: Record<string, string> = {},
): Promise<ServerProcess> {
  return startCommand("engine", directory, { KB_ENGINE_PORT: "0", ...env });
}

async function startCommand(
  name: string,
  directory: string,
  env: Record<string, string>,
): Promise<ServerProcess> {
  const config = fileURLToPath(new URL("../../deno.json", import.meta.url));
  const main = fileURLToPath(new URL("../../main.ts", import.meta.url));
  return await ServerProcess.start({
    command: [Deno.execPath(), "run", "--config", config, ...RUN_PERMISSIONS, main, name],
    directory,
    env: {
      KB_DATA_DIR: `${directory}/data`,
      KB_EMBEDDINGS_MODEL: "off",
      DENO_DIR: await denoDir(),
      ...env,
    },
  });
}

let knownDenoDir: Promise<string> | undefined;

/** Returns this machine's Deno cache. The program's own home is empty. */
export function denoDir(): Promise<string> {
  return knownDenoDir ??= runCommand(["deno", "info", "--json", "--no-config"])
    .then(({ output }) => JSON.parse(output).denoDir);
}
