/**
 * The product in one story: an agent with a real MCP client, over HTTP with a bearer token, on real files.
 *
 * @module
 */
import { Client } from "@modelcontextprotocol/sdk/client";
// @ts-types="@modelcontextprotocol/sdk/client/streamableHttp"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { startServer } from "../src/cli/serve.ts";
import { loadConfig } from "../src/config.ts";
import { createLogger } from "../src/telemetry/mod.ts";
import { samplePdf } from "../tests/support/samples.ts";

/** A file to upload, and a phrase that stands in it. */
interface Sample {
  readonly filename: string;
  readonly bytes: Uint8Array;
  readonly phrase: string;
}

const TOKEN = "demo-token";
const CHUNK_BYTES = 32 * 1024;

async function readSample(): Promise<Sample> {
  const phrase = "Large language models (LLMs) are becoming";
  try {
    const url = new URL("../../shared/data/files/test.pdf", import.meta.url);
    return { filename: "test.pdf", bytes: await Deno.readFile(url), phrase };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    const pages = [`${phrase} a crucial part of every workplace.`, "The second page says no more than this."];
    return { filename: "sample.pdf", bytes: samplePdf(pages), phrase };
  }
}

function say(line: string): void {
  console.log(line);
}

/** Calls a tool, shows the call, and gives back its structured answer. */
async function use(
  client: Client,
  name: string,
  args: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const result = await client.callTool({ name, arguments: args });
  const text = (result.content as { text: string }[])[0]?.text ?? "";
  if (result.isError) throw new Error(`${name} failed: ${text}`);
  const shown = JSON.stringify(args, (_, value) => {
    return typeof value === "string" && value.length > 80
      ? `${value.slice(0, 60)}… (${value.length} characters)`
      : value;
  });
  say(`  ${name} ${shown}\n    → ${text.length > 300 ? `${text.slice(0, 300)}…` : text}`);
  return result.structuredContent as Record<string, unknown>;
}

async function upload(client: Client, { filename, bytes }: Sample): Promise<Record<string, unknown>> {
  const { upload_id } = await use(client, "kb_upload_start", {
    filename,
    total_size: bytes.byteLength,
    tags: ["demo"],
  });
  for (let index = 0, at = 0; at < bytes.byteLength; index++, at += CHUNK_BYTES) {
    const data = bytes.slice(at, at + CHUNK_BYTES).toBase64();
    await use(client, "kb_upload_chunk", { upload_id, chunk_index: index, data });
  }
  return await use(client, "kb_upload_finish", { upload_id });
}

async function waitForDocument(client: Client, job: Record<string, unknown>): Promise<unknown> {
  for (let current = job;;) {
    if (current["document_id"] != null) return current["document_id"];
    if (current["status"] === "failed") throw new Error(`The job failed: ${current["error"]}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const { jobs } = await use(client, "kb_jobs", { job_id: job["job_id"] }) as {
      jobs: Record<string, unknown>[];
    };
    current = jobs[0] ?? current;
  }
}

async function tell(client: Client): Promise<void> {
  const server = client.getServerVersion();
  say(`\nConnected to ${server?.name} ${server?.version}.`);
  const { tools } = await client.listTools();
  say(`It has ${tools.length} tools: ${tools.map((tool) => tool.name).join(", ")}`);

  say("\n1. The agent remembers something about its user.");
  const note = await use(client, "kb_addnote", {
    text: "The user prefers concise answers, as bullet points.",
    collection: "memory",
    tags: ["preference"],
  });
  const noteId = await waitForDocument(client, note);

  say("\n2. It uploads a PDF in chunks, and waits until it can be searched.");
  const sample = await readSample();
  const documentId = await waitForDocument(client, await upload(client, sample));

  say("\n3. It finds a sentence of the PDF.");
  const found = await use(client, "kb_search", { query: sample.phrase, collection: "documents", top: 3 });
  const first = (found["results"] as { document_id: unknown }[])[0];
  if (String(first?.document_id) !== String(documentId)) throw new Error("The sentence was not found");

  say("\n4. It corrects its note, which keeps its id.");
  await use(client, "kb_update_note", {
    document_id: noteId,
    text: "The user prefers detailed answers, in prose.",
  });
  await use(client, "kb_search", { query: "detailed answers", collection: "memory" });

  say("\n5. It moves the PDF to another collection.");
  await use(client, "kb_set_collection", { document_id: documentId, collection: "workspace" });

  say("\n6. It deletes the note.");
  await use(client, "kb_delete", { document_id: noteId });
  await use(client, "kb_status", {});
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
  const client = new Client({ name: "demo-agent", version: "1.0.0" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${TOKEN}` } },
    }),
  );
  try {
    await tell(client);
  } finally {
    await client.close();
  }
  say("\nThat was all of it: search, write, upload, correct, move, delete.");
} finally {
  await Deno.remove(dataDir, { recursive: true });
}
