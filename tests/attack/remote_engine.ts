/**
 * Engines that fail, lie or ask for patience.
 *
 * @module
 */
import type { Attack, Check } from "./attack.ts";
import { callTool } from "./requests.ts";

/** Starts a server whose engine answers every request but `GET /status` with a response. */
async function serveWithEngine(attack: Attack, respond: () => Response) {
  const engine = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    return request.url.endsWith("/status") ? Response.json({ version: "3.1.0" }) : respond();
  });
  attack.defer(() => engine.shutdown());
  return await attack.serve({ env: { KB_ENGINE_URL: `http://127.0.0.1:${engine.addr.port}` } });
}

const disclosure: Check = {
  name: "engine-error-text",
  async run(attack) {
    const secret = "/srv/kb/private.db: near SELECT key FROM secrets: syntax error";
    const bodies = [
      JSON.stringify({ error: { code: "internal", message: secret } }),
      JSON.stringify({ detail: secret }),
      secret,
      `<html><title>${secret}</title></html>`,
    ];
    let next = 0;
    const server = await serveWithEngine(attack, () => new Response(bodies[next], { status: 500 }));
    for (; next < bodies.length; next++) {
      for (const [tool, args] of [["kb_search", { query: "a" }], ["kb_addnote", { text: "a" }]] as const) {
        const { isError, text } = await callTool(server, tool, args);
        if (!isError || /private|SELECT/.test(text)) throw new Error(`${tool} must not repeat it: ${text}`);
      }
    }
    return `${bodies.length} forms of a status 500 kept from the agent`;
  },
};

const deletion: Check = {
  name: "engine-delete-answer",
  async run(attack) {
    let body: unknown = { foo: 1 };
    const server = await serveWithEngine(attack, () => Response.json(body));
    for (body of [{ foo: 1 }, {}, [], null, "deleted", { status: "kept" }]) {
      const { isError, text } = await callTool(server, "kb_delete", { document_id: 1 });
      if (!isError) throw new Error(`${JSON.stringify(body)} must not count as deleted, got ${text}`);
    }
    return "6 unclear answers reported as errors";
  },
};

const patience: Check = {
  name: "engine-retry-after",
  async run(attack) {
    let requests = 0;
    const server = await serveWithEngine(attack, () => {
      requests++;
      return Response.json({ error: { code: "busy", message: "busy" } }, {
        status: 503,
        headers: { "retry-after": "37" },
      });
    });
    const { isError, text } = await callTool(server, "kb_search", { query: "a" });
    if (!isError || !/\b37\b/.test(text)) {
      throw new Error(`the agent must see the delay of 37 s, got ${text}`);
    }
    if (requests !== 1) throw new Error(`a request must not be repeated before 37 s, got ${requests}`);
    return `1 request; ${text.slice(0, 120)}`;
  },
};

/** Attacks by a remote engine. */
export const remoteEngine: readonly Check[] = [disclosure, deletion, patience];
