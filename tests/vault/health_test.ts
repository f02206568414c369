import { assertEquals } from "@std/assert";
import { checkHealth, digestOf } from "../../src/vault/mod.ts";
import { readFixture, vaultOf } from "./read_fixture.ts";

const today = "2026-03-31";
const pathsOf = (findings: readonly { path: string }[]) => findings.map(({ path }) => path);

Deno.test("the health of an Obsidian vault", async () => {
  const health = checkHealth(await readFixture("obsidian"), { today });
  assertEquals(health.broken_links, [
    { path: "Daily/2026-03-30.md", link: "[[Roof vents]]" },
    { path: "Inbox/Clipping.md", link: "[[../../etc/passwd]]", detail: "outside of the source" },
    { path: "Projects/Greenhouse.md", link: "[[Roof vents]]" },
  ]);
  assertEquals(health.missing_headings, [{ path: "Projects/Greenhouse.md", link: "[[Irrigation#Pumps]]" }]);
  assertEquals(pathsOf(health.orphans), [
    "Inbox/Clipping.md",
    "Inbox/Second greenhouse.md",
    "Inbox/Untitled.md",
    "Projects/Beehive.md",
    "Topics/Compost copy.md",
  ]);
  assertEquals(health.empty, [
    { path: "Inbox/Empty.md", detail: "no text" },
    { path: "Inbox/Untitled.md", detail: "2 words" },
  ]);
  assertEquals(pathsOf(health.untagged), ["Inbox/Untitled.md", "Topics/Soil.md"]);
  assertEquals(health.duplicates, [
    { paths: ["Topics/Compost copy.md", "Topics/Compost.md"], by: "content" },
    { paths: ["Inbox/Second greenhouse.md", "Projects/Greenhouse.md"], by: "title" },
  ]);
  assertEquals(health.stale, [{ path: "Projects/Beehive.md", detail: "2023-05-01" }]);
  assertEquals(health.failed, []);
});

Deno.test("the health of a documentation folder", async () => {
  const health = checkHealth(await readFixture("docs"), { today });
  assertEquals(health.broken_links, [
    { path: "guide/configure.md", link: "../../../etc/passwd", detail: "outside of the source" },
    { path: "release notes.md", link: "guide/schedule.md" },
  ]);
  assertEquals(health.missing_headings, [{ path: "guide/configure.md", link: "install.md#windows" }]);
  assertEquals([health.orphans, health.empty, health.duplicates, health.stale], [[], [], [], []]);
  assertEquals(pathsOf(health.untagged), [
    "guide/README.md",
    "index.md",
    "reference/index.md",
    "release notes.md",
  ]);
});

Deno.test("a prefix limits the findings to a section, and links are still resolved in the whole source", async () => {
  const health = checkHealth(await readFixture("obsidian"), { today, prefix: "Topics/" });
  assertEquals([health.broken_links, pathsOf(health.orphans)], [[], ["Topics/Compost copy.md"]]);
  assertEquals(health.duplicates.length, 1);
});

Deno.test("a document that links only to itself is an orphan", async () => {
  const health = checkHealth(await vaultOf({ "a.md": "[[a]]", "b.md": "[[b#top]] [[c]]", "c.md": "text" }), {
    today,
  });
  assertEquals(pathsOf(health.orphans), ["a.md", "b.md"]);
  assertEquals(health.empty.map(({ detail }) => detail), ["1 word", "3 words", "1 word"]);
});

Deno.test("the digest of an Obsidian vault", async () => {
  const { documents, sections, topics, recent, gaps } = digestOf(await readFixture("obsidian"), { today });
  assertEquals(documents, 13);
  assertEquals(sections[0], {
    name: "Topics",
    documents: 4,
    topics: ["garden", "soil", "reading"],
    updated: today,
  });
  assertEquals(sections.map(({ name }) => name), ["Topics", "Inbox", "Projects", "Daily", ""]);
  assertEquals(topics.slice(0, 2), [{ tag: "garden", documents: 4 }, { tag: "project", documents: 3 }]);
  assertEquals(recent.at(-1), { path: "Projects/Beehive.md", title: "Beehive", day: "2023-05-01" });
  assertEquals(gaps.missing_pages, [{ name: "Roof vents", links: 2 }]);
  assertEquals(gaps.small_sections, ["Daily"]);
  assertEquals(gaps.quiet_sections, []);
  assertEquals(gaps.tags_used_once, ["bees", "clipping", "errand", "index", "later", "reading", "water"]);
  assertEquals(gaps.findings.broken_links, 3);
});

Deno.test("a document's day is that of its front matter, then its change, then its file name", async () => {
  const { documents, failures } = await vaultOf({
    "updated.md": "---\ndate: 2020-01-01\nupdated: 2021-01-01\n---\ntext",
    "dated.md": "---\ndate: 2020-01-01\n---\ntext",
    "2022-02-02-name.md": "text",
    "plain.md": "---\ndate: someday\n---\ntext",
  });
  const days = (changed: boolean) =>
    digestOf({ documents: documents.map((document) => ({ ...document, hasChanged: changed })), failures }, {
      today,
    })
      .recent.map(({ path, day }) => `${path} ${day}`);
  assertEquals(days(false), [
    "plain.md 2026-03-31",
    "2022-02-02-name.md 2022-02-02",
    "updated.md 2021-01-01",
    "dated.md 2020-01-01",
  ]);
  assertEquals(days(true), [
    "2022-02-02-name.md 2026-03-31",
    "dated.md 2026-03-31",
    "plain.md 2026-03-31",
    "updated.md 2021-01-01",
  ]);
});
