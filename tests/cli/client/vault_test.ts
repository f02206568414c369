import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { concat, context, digest, health, sections } from "../../../src/cli/client/vault.ts";
import { ExitError } from "../../../src/cli/exit_status.ts";
import { ToolError } from "../../../src/tools/mod.ts";
import { ClientFixture } from "./client_fixture.ts";

const fixture = (name: string) => new URL(`../../fixtures/vaults/${name}`, import.meta.url).pathname;

Deno.test("the commands for sources print tables and lists, or JSON", async () => {
  await using engine = await ClientFixture.open();
  for (const [name, folder] of [["notes", "obsidian"], ["docs", "docs"]] as const) {
    const { source_id } = await engine.client.addSource({
      name,
      path: fixture(folder),
      ...(name === "docs" ? { sections: { guide: "How to install." } } : {}),
    });
    await engine.client.syncSource(source_id, { wait_seconds: 30 });
  }
  const lines = async (action: Parameters<typeof engine.terminal>[0]) =>
    (await engine.terminal(action)).text.split("\n");

  assertEquals(await lines((client) => sections("docs", client)), [
    "SOURCE  SECTION    DOCUMENTS  DESCRIPTION",
    "docs    (top)              2",
    "docs    guide              3  How to install.",
    "docs    reference          3",
    "",
  ]);
  assertEquals((await engine.json((client) => sections(undefined, client))).sections.length, 9);

  const brief = await lines((client) => context("Projects/Greenhouse.md", client));
  assert(brief.includes("status: active"));
  assertEquals(brief.slice(-3)[0], "");
  assertEquals(brief.filter((line) => /^(title|tags):/.test(line)).length, 2, brief.join("\n"));
  assertStringIncludes(brief.at(-2)!, "A lean-to of three by four metres");

  const found = await lines((client) => health("notes", { check: ["broken_links", "duplicates"] }, client));
  assertEquals(found, [
    "Broken links (3)",
    "  Daily/2026-03-30.md  [[Roof vents]]",
    "  Inbox/Clipping.md  [[../../etc/passwd]]  (outside of the source)",
    "  Projects/Greenhouse.md  [[Roof vents]]",
    "",
    "Duplicates (2)",
    "  Topics/Compost copy.md = Topics/Compost.md  (content)",
    "  Inbox/Second greenhouse.md = Projects/Greenhouse.md  (title)",
    "",
    "",
  ]);
  const json = await engine.json((client) => health("notes", { section: "Topics" }, client));
  assertEquals([json.source, json.broken_links, json.untagged], ["notes", [], [{ path: "Topics/Soil.md" }]]);
  assertEquals(await lines((client) => health("docs", { check: ["orphans"] }, client)), ["No findings.", ""]);

  const summary = await lines((client) => digest("notes", client));
  assertEquals(summary[0], "notes: 14 documents");
  assert(summary.includes("  Roof vents · 2 links"));
  assert((await lines((client) => digest("docs", client))).includes("  schedule · 1 link"));
  assertEquals((await engine.json((client) => digest("docs", client))).gaps.missing_pages, [
    { name: "schedule", links: 1 },
  ]);

  const { text } = await engine.terminal((client) => concat("docs", { section: "reference/" }, client));
  const options = { section: "reference/", json: true };
  assertEquals(await engine.json((client) => concat("docs", options, client)), {
    source: "docs",
    documents: 3,
    text,
  });
  assertEquals(text.match(/^Path: .*/gm), [
    "Path: reference/api.md · Tags: api",
    "Path: reference/cli.md · Tags: api, command",
    "Path: reference/index.md",
  ]);
  for (const command of [health, concat]) {
    await assertRejects(
      () => engine.terminal((client) => command("docs", { section: "referense" }, client)),
      ExitError,
      'no documents in "referense". Did you mean "reference"?',
    );
  }
  await assertRejects(
    () => engine.terminal((client) => digest(undefined, client)),
    ToolError,
    "one of docs, notes",
  );
});
