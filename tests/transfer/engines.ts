import { EngineClient } from "../../src/client/mod.ts";
import { Engine } from "../../src/engine/mod.ts";
import { engineOptions } from "../support/engine_options.ts";
import { writeNewDatabase } from "../support/new_database.ts";

/** An empty engine with its client and a temporary directory, both removed at the end. */
export interface TestEngine extends AsyncDisposable {
  readonly client: EngineClient;
  /** Directory for files of the test. */
  readonly directory: string;
}

export async function openEngine(): Promise<TestEngine> {
  const root = await Deno.makeTempDir();
  writeNewDatabase(`${root}/data`);
  const engine = await Engine.open(engineOptions(`${root}/data`));
  await Deno.mkdir(`${root}/files`);
  return {
    client: new EngineClient({ baseUrl: "http://embedded", fetch: (request) => engine.fetch(request) }),
    directory: `${root}/files`,
    async [Symbol.asyncDispose]() {
      await engine.close();
      await Deno.remove(root, { recursive: true });
    },
  };
}

/** Adds a note or a file and waits for its document. */
export async function add(
  client: EngineClient,
  { text, bytes, filename, ...metadata }: {
    text?: string;
    bytes?: Uint8Array<ArrayBuffer>;
    filename?: string;
    title?: string;
    source_path?: string;
    tags?: readonly string[];
  },
): Promise<number> {
  const fields = { tags: [], ...metadata };
  const { job_id } = bytes
    ? await client.addFile({
      ...fields,
      filename: filename ?? "a.md",
      size: bytes.length,
      open: () => ReadableStream.from([bytes]),
    })
    : await client.addNote({ ...fields, text: text ?? "" });
  const job = await client.waitForJob(job_id, { timeoutMs: 60_000 });
  if (job.status !== "done") throw new Error(`The job must succeed, got: ${job.error}`);
  return Number(job.document_id);
}

/** Returns the files below a directory, with their content as text. */
export async function filesOf(directory: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  const list = async (prefix: string) => {
    for await (const { name, isDirectory } of Deno.readDir(`${directory}/${prefix}`)) {
      if (isDirectory) await list(`${prefix}${name}/`);
      else files[`${prefix}${name}`] = await Deno.readTextFile(`${directory}/${prefix}${name}`);
    }
  };
  await list("");
  return Object.fromEntries(Object.entries(files).sort(([a], [b]) => a < b ? -1 : 1));
}
