import { assert, assertEquals } from "@std/assert";
import { connectAgent } from "../support/mcp_client.ts";
import { stateless } from "../support/messages.ts";
import { serveEngine } from "../support/serve_engine.ts";
import { startTestServer } from "../support/server.ts";

for (const placement of ["embedded", "over HTTP"] as const) {
  Deno.test(`the history names the client that made a change [engine ${placement}]`, async () => {
    await using engine = placement === "embedded" ? undefined : await serveEngine();
    await using server = await startTestServer(engine ? { env: { KB_ENGINE_URL: engine.url } } : {});
    await using agent = await connectAgent(server.url);
    const { structured: { document_id } } = await agent.call("kb_addnote", { text: "The kettle." });
    const args = { document_id, text: "The kettle is gone." };
    const _meta = { "io.modelcontextprotocol/clientInfo": { name: "Zoë's agent", version: "1" } };
    const [message, headers] = stateless("tools/call", { name: "kb_update_note", arguments: args, _meta });
    const response = await fetch(`${server.url}/mcp`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(message),
    });
    assert((await response.text()).includes(document_id as string));
    const { structured: { revisions } } = await agent.call("kb_history", { document_id });
    assertEquals((revisions as { changed_by?: string }[]).map(({ changed_by }) => changed_by), [
      "Zoë's agent",
    ]);
  });
}
