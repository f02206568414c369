import { assert, assertEquals } from "@std/assert";
import * as z from "zod";
import { MAX_RESULT_CHARS, ResponseStream } from "../../src/mcp/mod.ts";
import { encodeSearchPage } from "../../src/presentation/mod.ts";
import { joinText } from "../../src/text/mod.ts";
import { defineTool, EncodedOutput, type Tool } from "../../src/tools/mod.ts";
import { annotations } from "../support/annotations.ts";
import { openDispatcher } from "../support/dispatcher.ts";

const Output = z.looseObject({ results: z.array(z.looseObject({ text: z.string() })) });

/** Returns tools with the same output, as a value and encoded. */
function tools(chars: number): Tool[] {
  const results = [{
    chunk_id: 1,
    document_id: 2,
    score: 0.5,
    text: '"…" '.repeat(chars / 4),
    tags: [],
    title: "A",
  }];
  const page = encodeSearchPage({ results }, "2026-03-31");
  const encoded = new EncodedOutput({ mode: "fts", results: [], total: 1 }, page);
  const more = {
    title: "Find",
    description: "Finds.",
    scope: "read" as const,
    input: z.strictObject({}),
    output: Output,
    annotations,
  };
  return [
    defineTool({ ...more, name: "encoded", run: () => Promise.resolve(encoded) }),
    defineTool({
      ...more,
      name: "value",
      run: () => Promise.resolve(encoded.value),
      content: () => encoded.content,
    }),
  ] as unknown as Tool[];
}

const call = (name: string, version: string) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: {
    name,
    arguments: {},
    ...(version === "2026-07-28" && {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    }),
  },
});

/** Calls a tool and returns the message. */
async function messageOf(name: string, { version, chars }: { version: string; chars: number }) {
  await using mcp = await openDispatcher(tools(chars));
  const { body } = await mcp.dispatch(call(name, version), {
    "mcp-protocol-version": version,
    "mcp-method": "tools/call",
    "mcp-name": name,
  });
  return body instanceof ResponseStream ? await new Response(body.body).text() : joinText(body!);
}

for (const version of ["2024-11-05", "2025-11-25", "2026-07-28"]) {
  for (const chars of [40, 400_000]) {
    Deno.test(`${version}: an encoded output of ${chars} characters is sent like its value`, async () => {
      const message = await messageOf("encoded", { version, chars });
      assert(message === await messageOf("value", { version, chars }));
      const { content, structuredContent } = JSON.parse(message).result;
      assertEquals(JSON.parse(content[0].text), structuredContent);
    });
  }
}

Deno.test("an encoded output that is too large is an error", async () => {
  const message = await messageOf("encoded", { version: "2025-11-25", chars: MAX_RESULT_CHARS });
  assertEquals(JSON.parse(message).result.isError, true);
});
