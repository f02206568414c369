import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { openVaults } from "./vaults.ts";

/*
 * Document 002 describes the tools of a knowledge base over folders. Each step is one row of its module map, in the
 * order of docs/sources.md, with an MCP client, a started server and real folders.
 */

type Fields = Record<string, unknown>;

Deno.test("the tools of document 002, over an Obsidian vault and a documentation folder", async (t) => {
  await using vaults = await openVaults();
  const { agent } = vaults;
  const call = async (tool: string, args: Fields = {}): Promise<Fields> => {
    const { isError, text, structured } = await agent.call(tool, args);
    assert(!isError, text);
    return structured;
  };
  const error = async (tool: string, args: Fields): Promise<string> => {
    const { isError, text } = await agent.call(tool, args);
    assert(isError, text);
    return text;
  };
  const pathsOf = (list: unknown) => (list as Fields[]).map(({ source_path }) => source_path);

  await t.step(
    "002 list_sections: kb_sections lists sources and sections with counts and descriptions",
    async () => {
      const { sources } = await call("kb_sections");
      assertEquals(sources, [
        {
          name: "docs",
          documents: 8,
          top_documents: 2,
          sections: [
            { name: "guide", documents: 3, description: "How to install and configure." },
            { name: "reference", documents: 3 },
          ],
        },
        {
          name: "notes",
          writable: true,
          documents: 14,
          top_documents: 1,
          sections: [
            { name: "Daily", documents: 2 },
            { name: "Inbox", documents: 3 },
            { name: "Projects", documents: 3 },
            { name: "Topics", documents: 4 },
            { name: "attachments", documents: 1 },
          ],
        },
      ]);
      assertEquals(((await call("kb_sections", { source: "docs" })).sources as Fields[]).length, 1);
    },
  );

  await t.step("002 search: kb_search is scoped to a source or section by source_path", async () => {
    const search = async (source_path?: string) =>
      new Set(pathsOf(
        ((await call("kb_search", { query: "greenhouse", ...(source_path ? { source_path } : {}) }))
          .results as Fields[]).filter((result) => result["source_path"] !== undefined),
      ));
    assert((await search()).has("notes/Projects/Greenhouse.md"));
    assertEquals([...await search("notes/Inbox/")], ["notes/Inbox/Second greenhouse.md"]);
    assertEquals([...await search("docs/")], []);
    const { results } = await call("kb_search", { query: "greenhouse", collection: "documents" });
    assert((results as Fields[]).length > 0);
  });

  await t.step("002 get_document: kb_get finds a path, a path inside the source, or a title", async () => {
    for (
      const args of [
        { source_path: "notes/Topics/Soil.md" },
        { source_path: "Topics/Soil.md" },
        { title: "soil" },
      ]
    ) {
      const { documents, total } = await call("kb_get", args);
      assertEquals([pathsOf(documents), total], [["notes/Topics/Soil.md"], 1]);
    }
  });

  await t.step("002 get_document: the text is fresh from disk, without front matter", async () => {
    const path = `${vaults.folder("notes")}/Topics/Soil.md`;
    await Deno.writeTextFile(path, "---\ntags: [garden]\n---\n# Soil\n\nSand was added in the autumn.\n");
    const { documents: [document] } = await call("kb_get", { source_path: "Topics/Soil.md" }) as {
      documents: Fields[];
    };
    assertEquals(document!["tags"], ["garden"]);
    assertEquals((document!["chunks"] as Fields[])[0]!["text"], "# Soil\n\nSand was added in the autumn.");
    await Deno.writeTextFile(path, "# Soil\n\nLoam again.\n");
    const byId = await call("kb_get", { document_id: document!["document_id"] });
    assertEquals((byId["chunks"] as Fields[])[0]!["text"], "# Soil\n\nLoam again.");
    await Deno.remove(path);
    assertStringIncludes(await error("kb_get", { document_id: document!["document_id"] }), "deleted");
    await Deno.writeTextFile(
      path,
      "# Soil\n\nLoam over clay. It holds water in summer and needs sand before sowing.\n",
    );
    const { documents: [created] } = await call("kb_get", { source_path: "notes/Topics/Soil.md" }) as {
      documents: Fields[];
    };
    assertStringIncludes((created!["chunks"] as Fields[])[0]!["text"] as string, "Loam over clay");
  });

  await t.step("002 kb_context: front matter and summary without the body", async () => {
    const { documents: [brief] } = await call("kb_context", { source_path: "Projects/Greenhouse.md" }) as {
      documents: Fields[];
    };
    assertEquals(
      brief!["summary"],
      "A lean-to of three by four metres against the south wall, finished before the tomatoes are planted out.",
    );
    assertEquals([brief!["source"], brief!["section"], brief!["title"]], ["notes", "Projects", "Greenhouse"]);
    const metadata = brief!["metadata"] as Fields;
    assertEquals([metadata["status"], metadata["date"]], ["active", "2026-02-10"]);
    assertEquals(metadata["sources"], ["Seed catalogue 2026", "https://example.com/glazing"]);
    assertEquals(brief!["chunks"], undefined);
    const soil = `${vaults.folder("notes")}/Topics/Soil.md`;
    await Deno.writeTextFile(
      soil,
      `${await Deno.readTextFile(soil)}\nAnother paragraph.\n`.replace("Loam", "Sandy loam"),
    );
    const { documents: [changed] } = await call("kb_context", { source_path: "Topics/Soil.md" }) as {
      documents: Fields[];
    };
    assertStringIncludes(changed!["summary"] as string, "Sandy loam over clay");
    const { documents: [install] } = await call("kb_context", { title: "Install" }) as {
      documents: Fields[];
    };
    assertEquals(install!["summary"], "How to install Kettle on Linux and macOS.");
    assertStringIncludes(
      await error("kb_context", { source_path: "Topics/None.md" }),
      "no document with this source_path",
    );
  });

  await t.step("002 kb_query: kb_list filters front matter by tag, status, date and sources", async () => {
    const query = async (args: Fields) =>
      pathsOf((await call("kb_list", { sort: "title", ...args })).documents);
    assertEquals(await query({ tags: ["project"], source_path: "notes/" }), [
      "notes/Projects/Beehive.md",
      "notes/Projects/Greenhouse.md",
      "notes/Projects/Irrigation.md",
    ]);
    assertEquals(await query({ metadata: { status: "draft" } }), ["notes/Projects/Irrigation.md"]);
    assertEquals(await query({ metadata: { date: { from: "2026-03-01", to: "2026-03" } } }), [
      "notes/Daily/2026-03-30.md",
      "notes/Daily/2026-03-31.md",
      "notes/Projects/Irrigation.md",
    ]);
    assertEquals(await query({ metadata: { sources: "Seed catalogue 2026", status: "active" } }), [
      "notes/Projects/Greenhouse.md",
    ]);
    assertEquals(await query({ tags: ["project"], metadata: { sources: { exists: false } } }), [
      "notes/Projects/Beehive.md",
    ]);
  });

  await t.step("002 kb_digest: sections, topics, recency and hints at gaps", async () => {
    const digest = await call("kb_digest", { source: "notes" });
    assertEquals(digest["documents"], 14);
    assertEquals((digest["topics"] as Fields[])[0], { tag: "garden", documents: 4 });
    const recent = (digest["recent"] as Fields[]).map(({ path }) => path);
    assertEquals(recent.slice(-2), ["Projects/Greenhouse.md", "Projects/Beehive.md"]);
    const gaps = digest["gaps"] as Fields;
    assertEquals(gaps["missing_pages"], [{ name: "Roof vents", links: 2 }]);
    assertEquals(gaps["small_sections"], ["Daily", "attachments"]);
    assertEquals((gaps["findings"] as Fields)["broken_links"], 3);
    assertMatch(await error("kb_digest", {}), /source must be one of docs, notes/);
    assertMatch(
      await error("kb_digest", { source: "note" }),
      /There is no source "note"\. Did you mean notes\?/,
    );
  });

  await t.step("002 kb_export: one Markdown document, in pages", async () => {
    const { text, documents_total, next_cursor } = await call("kb_export", { source: "docs" });
    assertEquals([documents_total, next_cursor], [8, undefined]);
    const whole = text as string;
    assertStringIncludes(whole, "# docs\n\n- Guide (guide/README.md)\n- Configure (guide/configure.md)\n");
    assertStringIncludes(whole, "\n---\n\n# Install\n\nPath: guide/install.md · Tags: setup\n\n## Linux\n");
    assert(!whole.includes("description: How to"));
    let paged = "";
    let cursor: unknown;
    do {
      const page = await call("kb_export", {
        source: "docs",
        max_tokens: 300,
        ...(cursor ? { cursor } : {}),
      });
      paged += page["text"];
      cursor = page["next_cursor"];
    } while (cursor);
    assertEquals(paged, whole);
    const section = (await call("kb_export", { source: "docs", section: "reference", tags: ["command"] }))
      .text as string;
    assertEquals(section.match(/^Path: .*$/gm), ["Path: reference/cli.md · Tags: api, command"]);
  });

  await t.step("002 kb_health: broken links, orphans, empty and untagged files, duplicates", async () => {
    const health = await call("kb_health", { source: "notes" });
    assertEquals(health["counts"], {
      broken_links: 3,
      missing_headings: 1,
      orphans: 5,
      empty: 2,
      untagged: 2,
      duplicates: 2,
      stale: 1,
      failed: 0,
    });
    assertEquals(health["broken_links"], [
      { path: "Daily/2026-03-30.md", link: "[[Roof vents]]" },
      { path: "Inbox/Clipping.md", link: "[[../../etc/passwd]]", detail: "outside of the source" },
      { path: "Projects/Greenhouse.md", link: "[[Roof vents]]" },
    ]);
    assertEquals(health["untagged"], ["Inbox/Untitled.md", "Topics/Soil.md"]);
    assertEquals((health["empty"] as Fields[])[0], { path: "Inbox/Empty.md", detail: "no text" });
    assertEquals(health["quality"], 35);
    const page = await call("kb_health", {
      source: "notes",
      checks: ["orphans"],
      max_tokens: 200,
      offset: 4,
    });
    assertEquals([page["counts"], page["orphans"]], [{ orphans: 5 }, ["Topics/Compost copy.md"]]);
    const docs = await call("kb_health", { source: "docs", section: "guide" });
    assertEquals([docs["documents"], (docs["broken_links"] as Fields[]).length], [3, 1]);
  });

  await t.step("a section without documents is an error, and not a section without findings", async () => {
    for (const tool of ["kb_health", "kb_export"]) {
      assertEquals(
        await error(tool, { source: "docs", section: "Guides/" }),
        'The source docs has no documents in "Guides". Did you mean "guide"?',
      );
      assertEquals(
        await error(tool, { source: "docs", section: "guide/none" }),
        'The source docs has no documents in "guide/none". Sections: "guide", "reference".',
      );
    }
    const none = await call("kb_export", { source: "docs", section: "guide", tags: ["none"] });
    assertEquals(none.documents_total, 0);
  });

  await t.step(
    "002 kb_write: a file with front matter in a writable source, never a second time",
    async () => {
      const idea = { title: "Cold frame: plan", text: "Glass over the [[Greenhouse]] bed.", tags: ["idea"] };
      const args = { ...idea, folder: "Inbox", metadata: { status: "draft", sources: ["Neighbour"] } };
      const first = await call("kb_write", args);
      const today = new Date().toISOString().slice(0, 10);
      assertEquals(first["path"], `Inbox/${today}-cold-frame-plan.md`);
      assertEquals([first["source"], first["tags"]], ["notes", ["idea"]]);
      assertEquals((await call("kb_write", args))["path"], `Inbox/${today}-cold-frame-plan-2.md`);
      const file = await Deno.readTextFile(`${vaults.folder("notes")}/${first["path"]}`);
      assertMatch(file, /^---\n[^]*title:[^]*tags:[^]*\n---\n\n?Glass over/);
      const { documents } = await call("kb_list", { metadata: { sources: "Neighbour", status: "draft" } });
      assertEquals((documents as Fields[]).length, 2);
      assertStringIncludes(
        await error("kb_write", { ...idea, source: "docs" }),
        "The source docs is not writable",
      );
      for (const folder of ["../docs", "/etc", "a/../../b", "a\nb"]) {
        assertStringIncludes(await error("kb_write", { ...idea, folder }), "folder must be a relative path");
      }
    },
  );

  await t.step("002 reindex: kb_reindex brings changed files in", async () => {
    await Deno.writeTextFile(
      `${vaults.folder("docs")}/guide/schedule.md`,
      "# Schedule\n\nThe page that was missing.\n",
    );
    await Deno.remove(`${vaults.folder("docs")}/reference/cli.md`);
    await Deno.writeTextFile(
      `${vaults.folder("docs")}/reference/api.md`,
      "# API\n\nIt has [moved](moved.md).\n",
    );
    const { sources } = await call("kb_reindex", { source: "docs" });
    assertEquals(sources, [{ name: "docs", documents: 8, created: 1, updated: 1, deleted: 1, unchanged: 6 }]);
    const health = await call("kb_health", { source: "docs", checks: ["broken_links"] });
    assertEquals((health["broken_links"] as Fields[]).map(({ link }) => link), [
      "../../../etc/passwd",
      "../reference/cli.html",
      "moved.md",
      "cli.md",
    ]);
    const all = (await call("kb_reindex")).sources as Fields[];
    assertEquals(all.map(({ name }) => name), ["docs", "notes"]);
  });
});
