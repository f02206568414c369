import { assertEquals, assertThrows } from "@std/assert";
import { nameOfHost } from "../../../src/cli/client/source_name.ts";
import { planWebSource } from "../../../src/cli/web/web_source.ts";
import { ConfigError } from "../../../src/config/mod.ts";
import type { Source } from "../../../src/contract/mod.ts";

const URL_A = "https://docs.example.com/a";

function source(fields: Partial<Source> = {}): Source {
  return {
    source_id: 1,
    name: "docs-example-com",
    type: "web",
    location: "https://docs.example.com/start",
    collection: "documents",
    tags: [],
    include: [],
    exclude: [],
    pages: [],
    watch: false,
    writable: false,
    configured: false,
    documents: 1,
    sections: [],
    state: "idle",
    last_sync: null,
    created_at: "2026-01-01T00:00:00.000Z",
    ...fields,
  };
}

Deno.test("a source is named after its host", () => {
  const names = [
    "https://www.Example.com/",
    "https://docs.rs/x",
    "http://127.0.0.1:80/",
    "https://bücher.test/",
  ];
  assertEquals(names.map(nameOfHost), ["example-com", "docs-rs", "127-0-0-1", "xn-bcher-kva-test"]);
  assertEquals(nameOfHost(`https://${"a".repeat(60)}.${"b".repeat(60)}.test/`).length, 64);
});

Deno.test("the first page of a host becomes a source, further ones join it", () => {
  assertEquals(planWebSource(URL_A, {}, []), { name: "docs-example-com", url: URL_A, tags: [] });
  const joined = { name: "docs-example-com", url: source().location, tags: [], pages: [URL_A] };
  assertEquals(planWebSource(URL_A, {}, [source()]), joined);
  assertEquals(planWebSource(URL_A, {}, [source({ pages: [URL_A] })]), joined);
  assertEquals(planWebSource(source().location, {}, [source()]), { ...joined, pages: [] });
});

Deno.test("a page joins no source with other options, a folder or a crawl", () => {
  const others: Partial<Source>[] = [
    { tags: ["x"] },
    { collection: "manual" },
    { version_label: "1" },
    { type: "folder", location: "/docs" },
    { crawl: { max_pages: 10 } },
    { configured: true },
    { pages: Array.from({ length: 1_000 }, (_, at) => `https://docs.example.com/${at}`) },
  ];
  for (const fields of others) {
    assertEquals(planWebSource(URL_A, {}, [source(fields)]).name, "docs-example-com-2");
  }
  const second = source({ name: "docs-example-com-2" });
  assertEquals(planWebSource(URL_A, {}, [source({ tags: ["x"] }), second]).name, second.name);
});

Deno.test("a page that a source has stays there, whatever its name", () => {
  const named = source({ name: "handbook", pages: [URL_A] });
  assertEquals(planWebSource(URL_A, {}, [source(), named]).name, "handbook");
});

Deno.test("a crawl has a source of its own, which the same command changes", () => {
  const options = {
    crawl: true,
    maxPages: 10,
    crawlPrefix: "https://docs.example.com/v2/",
    versionLabel: "2",
  };
  const plan = planWebSource(URL_A, options, [source()]);
  assertEquals(plan, {
    name: "docs-example-com-2",
    url: URL_A,
    tags: [],
    version_label: "2",
    crawl: { max_pages: 10, prefix: "https://docs.example.com/v2/" },
  });
  const stored = source({ name: plan.name, location: URL_A, crawl: { max_pages: 5 }, tags: ["x"] });
  assertEquals(planWebSource(URL_A, options, [source(), stored]), plan);
});

Deno.test("a given name is used, or refused if it has something else", () => {
  assertEquals(planWebSource(URL_A, { name: "guide", collection: "manual" }, [source()]), {
    name: "guide",
    url: URL_A,
    tags: [],
    collection: "manual",
  });
  const refused: [Parameters<typeof planWebSource>[1], string][] = [
    [{ name: "docs-example-com", tags: ["x"] }, "choose another --name"],
    [{ name: "docs-example-com", crawl: true }, "choose another --name"],
    [{ name: "Not valid" }, "--name must be 1 to 64"],
    [{ maxPages: 3 }, "together with --crawl"],
  ];
  for (const [options, message] of refused) {
    assertThrows(() => planWebSource(URL_A, options, [source()]), ConfigError, message);
  }
});
