import { assert, assertEquals } from "@std/assert";
import { resources } from "../../src/resources/mod.ts";
import { type Harness, openHarness } from "../support/harness.ts";
import { completeValues, readMarkdown } from "../support/read_resource.ts";

const DOCUMENT = "kb://documents/{id}";
const CHUNK = "kb://documents/{id}/chunks/{n}";

Deno.test("an id is completed from words of the title, ignoring case and diacritics", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const report = await kb.note({ text: "Figures.", title: "Quarterly report, Q3" });
  const resume = await kb.note({ text: "Work.", title: "My RÉSUMÉ (final)" });
  const cases: [string, string[]][] = [
    ["quart", [`${report}~quarterly-report-q3`]],
    ["REPORT q", [`${report}~quarterly-report-q3`]],
    ["q3 quart", [`${report}~quarterly-report-q3`]],
    ["resume", [`${resume}~my-resume-final`]],
    ["résumé fin", [`${resume}~my-resume-final`]],
    [`${resume}~my-res`, [`${resume}~my-resume-final`]],
    ["nothing like it", []],
    ["...", []],
  ];
  for (const [typed, values] of cases) {
    for (const template of [DOCUMENT, CHUNK]) {
      assertEquals(await completeValues(kb, template, "id", typed), values, typed);
    }
  }
  assertEquals(await completeValues(kb, DOCUMENT, "id", ""), [
    `${resume}~my-resume-final`,
    `${report}~quarterly-report-q3`,
  ]);
});

Deno.test("an id is completed from the start of a title, also of a document older than the 100 newest", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const oldest = await kb.note({ text: "The barrage has 24 turbines.", title: "Gezeitenkraftwerk" });
  await Promise.all(
    Array.from({ length: 100 }, (_, i) => kb.note({ text: `Text ${i}.`, title: `Title ${i}` })),
  );
  assertEquals(await completeValues(kb, DOCUMENT, "id", "gezei"), [`${oldest}~gezeitenkraftwerk`]);
  assertEquals(await completeValues(kb, DOCUMENT, "id", "\u0301\u0301\u0301"), []);
});

Deno.test("completed ids can be read", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  for (const title of ["Räksmörgås / 50%?#", "日本語の文書", "한국어 문서", "🎉🎉", "a~b"]) {
    await kb.note({ text: `About ${title}.`, title });
  }
  const values = await completeValues(kb, DOCUMENT, "id", "") ?? [];
  assertEquals(values.length, 5);
  for (const value of values) {
    const [raw, encoded] = [`kb://documents/${value}`, `kb://documents/${encodeURIComponent(value)}`];
    assertEquals(
      (await readMarkdown(kb, raw)).split("\n")[0],
      (await readMarkdown(kb, encoded)).split("\n")[0],
    );
  }
});

/** Runs a test against an engine with the given responses. */
async function withDocuments(
  responses: { recent?: unknown[]; found?: unknown[]; byId?: Record<string, unknown> },
  test: (kb: Harness) => Promise<void>,
): Promise<void> {
  await using kb = await openHarness({
    placement: "embedded",
    handler: (request) => {
      const { pathname } = new URL(request.url);
      if (pathname.endsWith("/search")) return Response.json({ results: responses.found ?? [] });
      if (pathname.endsWith("/documents")) return Response.json({ documents: responses.recent ?? [] });
      const document = responses.byId?.[pathname.split("/").at(-1)!];
      return document ? Response.json(document) : Response.json({ detail: "no" }, { status: 404 });
    },
  });
  await test(kb);
}

const document = (document_id: number | string, title: string | null) => ({
  document_id,
  title,
  doc_type: "note",
  tags: [],
});
const hit = (id: number, title: string) => ({ ...document(id, title), chunk_id: id, score: 1, text: "t" });

Deno.test("digits match the exact id first, then prefixes of ids, then titles", async () => {
  await withDocuments({
    recent: [document(9, "Plan 12"), document(120, "B"), document(12, "A"), document(212, "C")],
  }, async (kb) => {
    assertEquals(await completeValues(kb, DOCUMENT, "id", "12"), ["12~a", "120~b", "9~plan-12"]);
  });
});

Deno.test("an exact id is found, regardless of the age of its document", async () => {
  await withDocuments({ byId: { 7: document(7, "Oldest") } }, async (kb) => {
    assertEquals(await completeValues(kb, DOCUMENT, "id", "7"), ["7~oldest"]);
    assertEquals(await completeValues(kb, DOCUMENT, "id", "7~old"), ["7~oldest"]);
    assertEquals(await completeValues(kb, DOCUMENT, "id", "8"), []);
  });
});

Deno.test("an engine that cannot search titles finds older documents by full text, without duplicates", async () => {
  await withDocuments({
    recent: [document(1, "Notes on fern care"), document(2, "Unferned")],
    found: [hit(4, "Fern"), hit(1, "Notes on fern care"), hit(4, "Fern"), hit(5, "Says it only inside")],
  }, async (kb) => {
    const values = await completeValues(kb, DOCUMENT, "id", " Fern ");
    assertEquals(values, ["4~fern", "1~notes-on-fern-care", "2~unferned"]);
    assertEquals(kb.sent("POST", "/api/v1/search"), [{ query: "fern", top: 30, fts_only: true }]);
  });
});

Deno.test("a completion has at most 100 values and reports the total", async () => {
  const recent = Array.from({ length: 300 }, (_, i) => document(i, `Note ${i}`));
  await withDocuments({ recent }, async (kb) => {
    const query = { name: "id", value: "note", others: {} };
    const completion = await resources.complete(DOCUMENT, query, kb.context);
    assertEquals([completion?.values.length, completion?.total, completion?.hasMore], [100, 300, true]);
  });
});

Deno.test("hostile input is truncated before it is used", async () => {
  await withDocuments({ recent: [document(1, "A".repeat(1_000_000))] }, async (kb) => {
    for (
      const typed of [
        "a ".repeat(500_000),
        "\ufdfa".repeat(100_000),
        "\ud800".repeat(1_000),
        "~",
        "%",
        "\u0000",
      ]
    ) {
      const values = await completeValues(kb, DOCUMENT, "id", typed) ?? [];
      assert(values.every((value) => value.length < 100 && value.isWellFormed()));
    }
    for (const { query } of kb.sent("POST", "/api/v1/search") as { query: string }[]) {
      assert(query.length < 5_000);
    }
  });
});

Deno.test("a document without a title is completed by its source path or id", async () => {
  const recent = [
    { ...document(1, null), source_path: "a/b.md" },
    document(2, null),
    document("x~y", "Tilde"),
  ];
  await withDocuments({ recent }, async (kb) => {
    assertEquals(await completeValues(kb, DOCUMENT, "id", ""), ["1~a-b-md", "2", "x~y"]);
  });
});

Deno.test("a chunk index is completed from its first digits", async () => {
  const byId = { 3: { ...document(3, "Long"), chunks: [], chunks_total: 1234 } };
  await withDocuments({ byId }, async (kb) => {
    const of = (typed: string) =>
      resources.complete(CHUNK, { name: "n", value: typed, others: { id: "3~long" } }, kb.context);
    const all = await of("");
    assertEquals([all?.values.length, all?.values[99], all?.total, all?.hasMore], [100, "99", 1234, true]);
    assertEquals(await of("12"), {
      values: ["12", ..."0123456789".split("").map((d) => `12${d}`), "1200", ...range(1201, 1233)],
      total: 1 + 10 + 34,
    });
    assertEquals(await of("9"), {
      values: ["9", ...range(90, 99), ...range(900, 988)],
      total: 111,
      hasMore: true,
    });
    assertEquals((await of("0"))?.values, ["0"]);
    for (const typed of ["01", "x", "-1", "9".repeat(500)]) assertEquals((await of(typed))?.values, []);
  });
});

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => String(from + i));

Deno.test("a chunk index of a missing or unknown document has no completions", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  assertEquals(await completeValues(kb, CHUNK, "n", ""), []);
  for (const id of ["99", "", "\ud800", "x".repeat(5_000)]) {
    assertEquals(await completeValues(kb, CHUNK, "n", "", { id }), []);
  }
});

Deno.test("a collection is completed from its first letters", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const of = (typed: string) => completeValues(kb, "kb://collections/{name}", "name", typed);
  assertEquals([await of(""), await of("ME"), await of("x".repeat(100_000))], [
    ["documents", "memory", "workspace"],
    ["memory"],
    [],
  ]);
});

Deno.test("unknown templates and variables are not completed", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  for (
    const [template, name] of [
      ["kb://documents/{x}", "id"],
      ["kb://status", "id"],
      ["__proto__", "toString"],
      [DOCUMENT, "n"],
      [DOCUMENT, "constructor"],
    ]
  ) assertEquals(await completeValues(kb, template!, name!, ""), undefined);
});
