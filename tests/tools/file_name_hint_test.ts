import { assertEquals, assertMatch } from "@std/assert";
import { fileNameHint } from "../../src/tools/file_name_hint.ts";
import { kbSearch } from "../../src/tools/kb_search.ts";
import { openHarness } from "../support/harness.ts";
import { thirdPartyEngine } from "../support/third_party_engine.ts";

Deno.test("a search for a file name names the documents that have it, unless one is a result", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const id = await kb.note({ text: "Sales of tea.", title: "Annual", source_path: "docs/Report-2024.pdf" });
  await kb.note({ text: "More.", title: "Other", source_path: "old/my report-2024.pdf", tags: ["old"] });
  const hint = async (query: string, args: Record<string, unknown> = {}) =>
    (await kb.call(kbSearch, { query, ...args }))["hint"];
  const expected = `The file name "report-2024.PDF" is that of document ${id} ("docs/Report-2024.pdf").`;
  for (
    const query of [
      "report-2024.PDF",
      "what does report-2024.PDF say",
      "zebra (report-2024.PDF)?",
      "see docs/report-2024.PDF.",
      "C:\\docs\\report-2024.PDF",
      '"report-2024.PDF"',
      "e.g. report-2024.PDF",
    ]
  ) {
    assertEquals(await hint(query), expected, query);
  }
  assertEquals(await hint("tea report-2024.PDF"), undefined);
  assertEquals(await hint("other.pdf zebra"), "Nothing found: try other words.");
  assertEquals(
    await hint("zebra report-2024.PDF", { tags: ["old"] }),
    "Nothing found: try other words, or fewer filters (active: tags).",
  );
  assertEquals(
    await hint("zebra report-2024.PDF", { document_id: id }),
    "Nothing found: try other words, or fewer filters (active: document_id).",
  );
});

Deno.test("a file name of many documents is not explained if any of them is a result, and names the first", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  for (const [n, bird] of ["heron", "tern", "gull", "owl", "kite"].entries()) {
    await kb.note({ text: `About a ${bird}.`, title: `T${n}`, source_path: `${bird}/README.md` });
  }
  const hint = async (query: string) => (await kb.call(kbSearch, { query }))["hint"];
  for (const bird of ["heron", "kite"]) assertEquals(await hint(`${bird} README.md`), undefined);
  assertMatch(
    String(await hint("zebra README.md")),
    / is that of document (\d \("\w+\/README\.md"\)[, ]+){3}and 2 more\.$/,
  );
});

Deno.test("only names with the extension of a format are looked up", async () => {
  const asked: unknown[] = [];
  const send = (request: unknown) => {
    asked.push(request);
    return Promise.resolve({ documents: [] });
  };
  for (
    const query of [
      "fs.readFileSync",
      "version 3.14",
      "e.g. tea",
      "example.com",
      "a sentence.End",
      ".md",
      "md",
    ]
  ) {
    assertEquals(await fileNameHint(query, [], { filters: () => ({}), send }), undefined);
  }
  assertEquals(asked, []);
  await fileNameHint("open main.py now", [], { filters: () => ({}), send });
  assertEquals(asked, [{ title: "main.py", limit: 50 }]);
});

Deno.test("a search for a file name succeeds with an engine that cannot look it up", async () => {
  await using kb = await openHarness({ placement: "embedded", handler: thirdPartyEngine() });
  assertEquals((await kb.call(kbSearch, { query: "report.pdf" })).results, []);
});
