import { assertEquals } from "@std/assert";
import { listTools } from "../../src/mcp/tool_list.ts";
import { tools } from "../../src/tools/mod.ts";

const FOLDER = new URL("./__snapshots__/", import.meta.url);

if (Deno.env.get("UPDATE_SNAPSHOTS") === "1") {
  await Deno.remove(FOLDER, { recursive: true }).catch(() => {});
  await Deno.mkdir(FOLDER);
  for (const tool of listTools(tools).tools) {
    await Deno.writeTextFile(new URL(`${tool.name}.json`, FOLDER), JSON.stringify(tool, null, 2) + "\n");
  }
}

/*
 * What agents are told of each tool is an interface: a change of it is seen in review as a change of a file here.
 */
for (const tool of listTools(tools).tools) {
  Deno.test(`${tool.name} is described to agents as its committed snapshot says`, async () => {
    assertEquals(
      JSON.parse(await Deno.readTextFile(new URL(`${tool.name}.json`, FOLDER))),
      tool,
      `${tool.name} is not what tests/tools/__snapshots__/${tool.name}.json says. If the change is meant, run ` +
        "`UPDATE_SNAPSHOTS=1 deno test -A tests/tools/snapshots_test.ts` and commit the file.",
    );
  });
}

Deno.test("no snapshot is left of a tool that is gone", () => {
  const files = [...Deno.readDirSync(FOLDER)].map(({ name }) => name).toSorted();
  assertEquals(files, tools.map(({ name }) => `${name}.json`).toSorted());
});
