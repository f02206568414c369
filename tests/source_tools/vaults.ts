import { readLocalFile } from "../../src/cli/local_file.ts";
import { EngineClient } from "../../src/client/mod.ts";
import type { Source } from "../../src/contract/mod.ts";
import { type Agent, connectAgent } from "../support/mcp_client.ts";
import { startTestServer } from "../support/server.ts";

/** A server with the fixture vaults as sources `notes` (writable) and `docs`, and an agent connected to it. */
export interface Vaults extends AsyncDisposable {
  readonly agent: Agent;
  /** Client of the server's engine, with the rights of its machine. */
  readonly engine: EngineClient;
  readonly notes: Source;
  readonly docs: Source;
  /** Folder of a source. */
  folder(name: "notes" | "docs"): string;
}

/** Maximum time to wait for the synchronization of a fixture, in seconds. */
const WAIT_SECONDS = 30;

/** Starts a server with the tools for sources over copies of the fixtures. */
export async function openVaults(): Promise<Vaults> {
  await using stack = new AsyncDisposableStack();
  const root = await Deno.makeTempDir({ prefix: "kb-mcp-vaults-" });
  stack.defer(() => Deno.remove(root, { recursive: true }));
  const dataDir = `${root}/data`;
  const fixtures = new URL("../fixtures/vaults/", import.meta.url);
  await copyFolder(new URL("obsidian", fixtures).pathname, `${root}/notes`);
  await copyFolder(new URL("docs", fixtures).pathname, `${root}/docs`);
  const server = stack.use(
    await startTestServer({ env: { KB_DATA_DIR: dataDir, KB_MCP_SOURCE_TOOLS: "on" } }),
  );
  const { url, token } = readLocalFile(dataDir)!;
  const engine = new EngineClient({ baseUrl: url, apiKey: token });
  const add = async (source: { name: string; writable?: boolean; sections?: Record<string, string> }) => {
    const { source_id } = await engine.addSource({ ...source, path: `${root}/${source.name}` });
    return await engine.syncSource(source_id, { wait_seconds: WAIT_SECONDS });
  };
  const notes = await add({ name: "notes", writable: true });
  const docs = await add({ name: "docs", sections: { guide: "How to install and configure." } });
  const agent = stack.use(await connectAgent(server.url));
  const open = stack.move();
  return {
    agent,
    engine,
    notes,
    docs,
    folder: (name) => `${root}/${name}`,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to);
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyFolder(`${from}/${name}`, `${to}/${name}`);
    else await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
  }
}
