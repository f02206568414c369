import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Checks } from "../../scripts/checks.ts";
import { tools } from "../../src/tools/mod.ts";
import type { ProtocolVersion } from "../conformance/suites.ts";
import type { Connection } from "./client.ts";
import type { RecordedRequest } from "./recorder.ts";

/** Runs the same steps with every client. Each check depends on the previous one. */
export async function runStory(checks: Checks, client: Connection, topic: string): Promise<void> {
  const text = `${topic} keeps its tea in the blue tin on the upper shelf.`;
  await checks.check("lists the tools", async () => {
    assertEquals((await client.listTools()).toSorted(), tools.map(({ name }) => name).toSorted());
  });
  const id = await checks.check("adds a note", async () => {
    const { document_id } = await client.callTool("kb_addnote", { text, collection: "memory", title: topic });
    assertEquals(typeof document_id, "number");
    return document_id;
  });
  await checks.check("finds it", async () => {
    const { results } = await client.callTool("kb_search", { query: `blue tin ${topic}` });
    const [first] = results as { document_id: number; text: string }[];
    assertEquals(first?.document_id, id);
    assertStringIncludes(first?.text ?? "", text);
  });
  await checks.check("gets the server's status", async () => {
    const { server } = await client.callTool("kb_status", {});
    assertEquals((server as { name: string }).name, "kb-mcp");
  });
  await checks.check("reads the note as a resource", async () => {
    assertStringIncludes(await client.readResource(`kb://documents/${id}`), text);
  });
  const { getPrompt } = client;
  if (!getPrompt) return;
  await checks.check("gets a prompt", async () => {
    const question = `Where does ${topic} keep its tea?`;
    assertStringIncludes(await getPrompt("research_question", { question }), question);
  });
}

/** Checks by its requests that a client used the expected protocol version. */
export async function checkProtocolVersion(
  checks: Checks,
  requests: readonly RecordedRequest[],
  protocolVersion: ProtocolVersion,
): Promise<void> {
  await checks.check(`used ${protocolVersion} throughout`, () => {
    const calls = requests.filter(({ rpcMethod }) =>
      rpcMethod === "tools/call" || rpcMethod === "resources/read"
    );
    assertEquals([...new Set(calls.map(({ version }) => version))], [protocolVersion]);
    const initialized = requests.some(({ rpcMethod }) => rpcMethod === "initialize");
    assert(
      initialized === (protocolVersion === "2025-11-25"),
      `initialize was ${initialized ? "" : "not "}sent`,
    );
    return Promise.resolve();
  });
}
