import { assertEquals } from "@std/assert";
import { SCOPES } from "../../src/keys/mod.ts";
import { listTools } from "../../src/mcp/tool_list.ts";
import { instructionsFor, tools } from "../../src/tools/mod.ts";

/** By file name. */
const INSTRUCTIONS = new Map(
  SCOPES.map((
    scope,
  ) => [`instructions${scope === "write" ? "" : `-${scope}`}.md`, `${instructionsFor(scope)}\n`]),
);
const FOLDER = new URL("./__snapshots__/", import.meta.url);

if (Deno.env.get("UPDATE_SNAPSHOTS") === "1") {
  await Deno.remove(FOLDER, { recursive: true }).catch(() => {});
  await Deno.mkdir(FOLDER);
  for (const tool of listTools(tools).tools) {
    await Deno.writeTextFile(new URL(`${tool.name}.json`, FOLDER), JSON.stringify(tool, null, 2) + "\n");
  }
  for (const [name, text] of INSTRUCTIONS) await Deno.writeTextFile(new URL(name, FOLDER), text);
}

// The tool list is an interface for agents, so that its changes show up in review as changed files.
for (const tool of listTools(tools).tools) {
  Deno.test(`${tool.name} is listed like its committed snapshot`, async () => {
    assertEquals(
      JSON.parse(await Deno.readTextFile(new URL(`${tool.name}.json`, FOLDER))),
      tool,
      `${tool.name} differs from tests/tools/__snapshots__/${tool.name}.json. If the change is intended, run ` +
        "`UPDATE_SNAPSHOTS=1 deno test -A tests/tools/snapshots_test.ts` and commit the file.",
    );
  });
}

for (const [name, text] of INSTRUCTIONS) {
  Deno.test(`the ${name} are like their committed snapshot`, async () => {
    assertEquals(
      await Deno.readTextFile(new URL(name, FOLDER)),
      text,
      "If the change is intended, run `UPDATE_SNAPSHOTS=1 deno test -A tests/tools/snapshots_test.ts` and commit the file.",
    );
  });
}

Deno.test("every snapshot belongs to a tool or to the instructions", () => {
  const files = [...Deno.readDirSync(FOLDER)].map(({ name }) => name).toSorted();
  assertEquals(files, [...tools.map(({ name }) => `${name}.json`), ...INSTRUCTIONS.keys()].toSorted());
});
