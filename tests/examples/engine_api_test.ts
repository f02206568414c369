import { assertEquals, assertMatch } from "@std/assert";
import { startEngineProcess } from "../support/product.ts";
import { read } from "../packaging/repository.ts";
import { isInstalled, runToEnd } from "./support.ts";

const KEY = "example-key";

/** The shell commands of docs/engine-api.md, in order. */
async function shellCommands(): Promise<string> {
  const blocks = [...(await read("docs/engine-api.md")).matchAll(/^```sh\n([^]*?)^```/gm)];
  return `set -eu -o pipefail\n${blocks.map(([, code]) => code).join("\n")}`;
}

const missing = ["bash", "curl"].find((program) => !isInstalled(program));
const name = "the curl examples in docs/engine-api.md run in order";

async function testCurlExamples(): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "kb-mcp-test-" });
  try {
    await using engine = await startEngineProcess(directory, { KB_API_KEY: KEY });
    const env = { ENGINE: engine.url, KB_API_KEY: KEY };
    const output = await runToEnd({ command: ["bash"], env, input: await shellCommands() });
    assertMatch(output, /^\{"job_id":1,"status":"done",[^}]*\}\{"job_id":2,"status":"done",[^}]*\}/);
    assertMatch(output, /"text":"The kettle is on the upper shelf\."/);
    assertMatch(output, /"tags":\["collection:memory","sink"\]/);
    assertMatch(output, /\{"status":"deleted","document_id":2,"title":"Tea","restorable_until":"[^"]+"\}/);
    assertMatch(output, /"code":"version_conflict",.*"changed_by":"Ann"/);
    const status = JSON.parse(output.slice(output.lastIndexOf('{"version":')));
    assertEquals(status.documents.by_collection, { memory: 1 });
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

if (missing === undefined) Deno.test(name, testCurlExamples);
else Deno.test.ignore(`${name} (skipped: ${missing} is not installed)`, () => {});
