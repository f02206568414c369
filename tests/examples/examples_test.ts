import { assertEquals, assertMatch } from "@std/assert";
import { startProduct } from "../support/product.ts";
import { connectAgent } from "../support/mcp_client.ts";
import { isInstalled, runToEnd } from "./support.ts";

const KEY = "example-key";

const EXAMPLES: [name: string, command: string[], output: RegExp][] = [
  [
    "agent.ts",
    [Deno.execPath(), "run", "-A", "examples/agent.ts"],
    /^\d+: The user prefers short answers\.$/m,
  ],
  ["agent.py", ["python3", "examples/agent.py"], /^\d+: The user prefers short answers\.$/m],
  [
    "curl.sh",
    ["bash", "examples/curl.sh"],
    /Short answers fit on one screen[^]*The user prefers short answers/,
  ],
];

/** Runs an example against the program, and checks that it leaves no documents behind. */
async function testExample(command: readonly string[], output: RegExp): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "kb-mcp-test-" });
  try {
    await using product = await startProduct(directory, { KB_MCP_API_KEY: KEY });
    const env = { MCP_URL: `${product.url}/mcp`, KB_MCP_API_KEY: KEY };
    assertMatch(await runToEnd({ command, env }), output);
    await using agent = await connectAgent(product.url, KEY);
    const { structured } = await agent.call("kb_status");
    assertEquals((structured.engine as { documents: { total: number } }).documents.total, 0);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

for (const [name, command, output] of EXAMPLES) {
  const [program = ""] = command;
  const missing = [program, ...(name === "curl.sh" ? ["curl"] : [])].find((each) => !isInstalled(each));
  if (missing === undefined) Deno.test(`examples/${name} runs`, () => testExample(command, output));
  else Deno.test.ignore(`examples/${name} runs (skipped: ${missing} is not installed)`, () => {});
}
