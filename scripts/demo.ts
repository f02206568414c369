/**
 * The product in one story: an agent with a real MCP client, over HTTP with a bearer token, on real files.
 *
 * @module
 */
import { startServer } from "../src/cli/serve.ts";
import { loadConfig } from "../src/config.ts";
import { createLogger } from "../src/telemetry/mod.ts";
import { type Agent, connectAgent } from "../tests/support/mcp_client.ts";
import { samplePdf } from "../tests/support/samples.ts";
import { print as say } from "./print.ts";

/** A file to upload, and a phrase that stands in it. */
interface Sample {
  readonly filename: string;
  readonly bytes: Uint8Array;
  readonly phrase: string;
}

const TOKEN = "demo-token";
const CHUNK_BYTES = 32 * 1024;

async function readSample(): Promise<Sample> {
  try {
    const bytes = await Deno.readFile(new URL("../../shared/data/files/test.pdf", import.meta.url));
    return { filename: "test.pdf", bytes, phrase: "Large language models (LLMs) are becoming" };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    const phrase = "The night train to the coast leaves from platform nine.";
    return { filename: "sample.pdf", bytes: samplePdf([phrase]), phrase };
  }
}

/** Calls a tool, shows the call, and gives back its structured answer. */
async function use(
  agent: Agent,
  name: string,
  args: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const { isError, text, structured } = await agent.call(name, args);
  if (isError) throw new Error(`${name} failed: ${text}`);
  const shown = JSON.stringify(args, (_, value) => {
    return typeof value === "string" && value.length > 80
      ? `${value.slice(0, 60)}… (${value.length} characters)`
      : value;
  });
  say(`  ${name} ${shown}\n    → ${text.length > 300 ? `${text.slice(0, 300)}…` : text}`);
  return structured;
}

async function upload(agent: Agent, { filename, bytes }: Sample): Promise<Record<string, unknown>> {
  const { upload_id } = await use(agent, "kb_upload_start", {
    filename,
    total_size: bytes.byteLength,
    tags: ["demo"],
  });
  for (let index = 0, at = 0; at < bytes.byteLength; index++, at += CHUNK_BYTES) {
    const data = bytes.slice(at, at + CHUNK_BYTES).toBase64();
    await use(agent, "kb_upload_chunk", { upload_id, chunk_index: index, data });
  }
  return await use(agent, "kb_upload_finish", { upload_id });
}

async function waitForDocument(agent: Agent, job: Record<string, unknown>): Promise<unknown> {
  for (let current = job;;) {
    if (current["document_id"] != null) return current["document_id"];
    if (current["status"] === "failed") throw new Error(`The job failed: ${current["error"]}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const { jobs } = await use(agent, "kb_jobs", { job_id: job["job_id"] }) as {
      jobs: Record<string, unknown>[];
    };
    current = jobs[0] ?? current;
  }
}

async function tell(agent: Agent): Promise<void> {
  const server = agent.client.getServerVersion();
  say(`\nConnected to ${server?.name} ${server?.version}.`);
  const { tools } = await agent.client.listTools();
  say(`It has ${tools.length} tools: ${tools.map((tool) => tool.name).join(", ")}`);

  say("\n1. The agent remembers something about its user.");
  const note = await use(agent, "kb_addnote", {
    text: "The user prefers concise answers, as bullet points.",
    collection: "memory",
    tags: ["preference"],
  });
  const noteId = await waitForDocument(agent, note);

  say("\n2. It uploads a PDF in chunks, and waits until it can be searched.");
  const sample = await readSample();
  const documentId = await waitForDocument(agent, await upload(agent, sample));

  say("\n3. It finds a sentence of the PDF.");
  const found = await use(agent, "kb_search", { query: sample.phrase, collection: "documents", top: 3 });
  const first = (found["results"] as { document_id: unknown }[])[0];
  if (String(first?.document_id) !== String(documentId)) throw new Error("The sentence was not found");

  say("\n4. It corrects its note, which keeps its id.");
  await use(agent, "kb_update_note", {
    document_id: noteId,
    text: "The user prefers detailed answers, in prose.",
  });
  await use(agent, "kb_search", { query: "detailed answers", collection: "memory" });

  say("\n5. It moves the PDF to another collection.");
  await use(agent, "kb_set_collection", { document_id: documentId, collection: "workspace" });

  say("\n6. It deletes the note.");
  await use(agent, "kb_delete", { document_id: noteId });
  await use(agent, "kb_status", {});
}

const dataDir = await Deno.makeTempDir({ prefix: "kb-mcp-demo-" });
try {
  const env: Record<string, string> = { KB_MCP_PORT: "0", KB_MCP_API_KEY: TOKEN, KB_DATA_DIR: dataDir };
  const config = loadConfig({ env: (name) => env[name], readFile: Deno.readTextFileSync });
  await using server = await startServer(config, {
    log: createLogger("warn"),
    defaultDataDir: () => dataDir,
  });
  say(`kb-mcp serves MCP at ${server.url}/mcp, its data in a directory that goes away with this demo.`);
  {
    await using agent = await connectAgent(server.url, TOKEN);
    await tell(agent);
  }
  say("\nThat was all of it: search, write, upload, correct, move, delete.");
} finally {
  await Deno.remove(dataDir, { recursive: true });
}
