import { assertEquals, assertExists } from "@std/assert";
import type { NewSource, Source, SyncReport } from "../../../src/contract/mod.ts";
import { startSite, type TestPage, type TestSite } from "../../crawler/site.ts";
import { EmbeddedEngine } from "../../support/embedded_engine.ts";

/** Opens an engine that may fetch from a site. */
function openEngine(site: TestSite): Promise<EmbeddedEngine> {
  return EmbeddedEngine.open({
    fetch: { userAgent: "kb-mcp/1.2.3", delayMs: 0, allowedHosts: [site.host], maxBytes: 100_000 },
  });
}

async function add(engine: EmbeddedEngine, source: NewSource): Promise<Source> {
  const added = await engine.call("addSource", { body: source, address: "192.0.2.1" });
  assertEquals(added.status, 200, JSON.stringify(added.body));
  return await sync(engine, added.body.source_id);
}

async function sync(engine: EmbeddedEngine, id: string | number, body = {}): Promise<Source> {
  const { status, body: source } = await engine.call("syncSource", {
    id,
    body: { wait_seconds: 50, ...body },
  });
  assertEquals(status, 200, JSON.stringify(source));
  return source;
}

/** Returns the counts of a report that are not 0. */
function counts({ last_sync: report }: { last_sync: SyncReport | null }): Record<string, number> {
  assertExists(report);
  const { created, updated, renamed, deleted, unchanged, failed } = report;
  const all = { created, updated, renamed, deleted, unchanged, failed };
  return Object.fromEntries(Object.entries(all).filter(([, n]) => n > 0));
}

async function paths(engine: EmbeddedEngine): Promise<string[]> {
  const { body } = await engine.call("queryDocuments", { body: { limit: 100 } });
  return body.documents.map((each: { source_path: string }) => each.source_path).sort();
}

const html = (title: string, body = "") => `<title>${title}</title><p>The text of ${title}.</p>${body}`;
const link = (url: string) => `<a href="${url}">link</a>`;

Deno.test("pages become documents with their URL, follow changes, and keep their text when the site fails", async () => {
  let sent = 0;
  const pages: Record<string, TestPage> = {
    "/guide/start": (request) =>
      request.headers.get("if-none-match") === '"1"'
        ? new Response(null, { status: 304 })
        : new Response(html("Start", String(sent++)), {
          headers: { "content-type": "text/html", etag: '"1"' },
        }),
    "/faq.md": "---\ntags: [help]\n---\n# FAQ\n\nAsk here.\n",
  };
  await using site = startSite(pages);
  await using engine = await openEngine(site);
  const source = {
    name: "docs",
    url: `${site.url}guide/start`,
    pages: [`${site.url}faq.md`],
    collection: "manual",
    version_label: "1.2",
  };
  const added = await add(engine, source);
  const { source_id: id, type, location, documents } = added;
  assertEquals([type, location, documents], ["web", source.url, 2]);
  assertEquals(added.sections.map(({ name }) => name), ["", "guide"]);
  assertEquals(await paths(engine), ["docs/faq.md", "docs/guide/start"]);
  const { body: { results: [start] } } = await engine.call("search", { body: { query: "Start" } });
  assertEquals([start.title, start.source_path], ["Start", "docs/guide/start"]);
  const { body: document } = await engine.call("getDocument", { id: start.document_id });
  assertEquals([document.metadata.url, document.tags.toSorted()], [
    source.url,
    ["collection:manual", "version:1.2"],
  ]);

  pages["/faq.md"] = "# FAQ\n\nAsk there.\n";
  assertEquals(counts(await sync(engine, id)), { updated: 1, unchanged: 1 });
  pages["/faq.md"] = new Response("down", { status: 503 });
  pages["/guide/start"] = new Response("gone", { status: 410 });
  const failed = await sync(engine, id);
  assertEquals(counts(failed), { deleted: 1, failed: 1 });
  assertEquals(failed.last_sync?.failures.map(({ path, code }) => [path, code]), [["faq.md", "http_status"]]);
  assertEquals(await paths(engine), ["docs/faq.md"]);

  // A page that returns is stored again, and one that is no longer listed goes.
  pages["/guide/start"] = html("Start again");
  assertEquals(counts(await add(engine, { ...source, pages: [] })), { unchanged: 1 });
  assertEquals(await paths(engine), ["docs/guide/start"]);
});

Deno.test("a private address is refused to any caller, and other failures are reported", async () => {
  await using site = startSite({
    "/robots.txt": "User-agent: *\nDisallow: /no",
    "/no": html("No"),
    "/large": html("x".repeat(200_000)),
    "/away": () => new Response(null, { status: 302, headers: { location: "http://169.254.169.254/" } }),
  });
  await using engine = await openEngine(site);
  const credentials = { name: "bad", url: "https://user:secret@example.com/" };
  const refused = await engine.call("addSource", { body: credentials });
  assertEquals([refused.status, refused.body.error.code], [400, "invalid"]);
  const names = ["no", "large", "away", "missing"];
  const source = await add(engine, {
    name: "bad",
    url: "http://127.0.0.1/admin",
    pages: names.map((name) => site.url + name),
  });
  const codes = source.last_sync?.failures.map(({ path, code }) => [path.replace(/^.*\//, ""), code]);
  assertEquals(codes, [
    ["admin", "private_address"],
    ["no", "disallowed_by_robots"],
    ["large", "too_large"],
    ["away", "private_address"],
    ["missing", "not_found"],
  ]);
  assertEquals(await paths(engine), []);
});

Deno.test("a crawl stores the pages of a site, and follows their changes", async () => {
  const pages: Record<string, TestPage> = {
    "/v1/": html("Start", link("guide/a") + link("b") + link("/v2/")),
    "/v1/guide/a": html("A", link("../c")),
    "/v1/b": html("B"),
    "/v1/c": html("C"),
    "/v2/": html("Other version"),
  };
  await using site = startSite(pages);
  await using engine = await openEngine(site);
  const source = { name: "docs", url: `${site.url}v1/`, crawl: { max_pages: 50 } };
  const { source_id: id, last_sync } = await add(engine, source);
  assertEquals(last_sync?.error, undefined);
  assertEquals(await paths(engine), ["docs/b", "docs/c", "docs/guide/a", "docs/index"]);

  pages["/v1/b"] = html("B", link("d"));
  pages["/v1/d"] = html("D");
  pages["/v1/c"] = new Response("gone", { status: 404 });
  assertEquals(counts(await sync(engine, id)), { created: 1, updated: 1, deleted: 1, unchanged: 2 });

  // A site that is down loses nothing.
  for (const path of Object.keys(pages)) pages[path] = new Response("down", { status: 500 });
  const down = await sync(engine, id);
  assertEquals([counts(down), /Nothing was deleted/.test(down.last_sync?.error ?? "")], [{}, true]);
  assertEquals((await paths(engine)).length, 4);
});

Deno.test("a crawl that the engine's end interrupts continues, and reports its limit", async () => {
  const hanging = Promise.withResolvers<void>();
  const conditions: (string | null)[] = [];
  const etag = { "content-type": "text/html", etag: '"1"' };
  const pages: Record<string, TestPage> = {
    "/": (request) => {
      conditions.push(request.headers.get("if-none-match"));
      return request.headers.has("if-none-match")
        ? new Response(null, { status: 304 })
        : new Response(html("Start", link("a") + link("b") + link("c")), { headers: etag });
    },
    "/a": () => {
      hanging.resolve();
      return new Response(new ReadableStream(), { headers: etag });
    },
    "/b": html("B"),
    "/c": html("C"),
  };
  await using site = startSite(pages);
  const options = { fetch: { userAgent: "kb-mcp", delayMs: 0, allowedHosts: [site.host] } };
  await using engine = await EmbeddedEngine.open(options);
  const source = { name: "docs", url: site.url, crawl: { max_pages: 4 } };
  const { body: { source_id: id } } = await engine.call("addSource", { body: source });
  await hanging.promise;
  await engine.reopen(options);
  pages["/a"] = html("A", link("d"));
  const continued = await sync(engine, id);
  assertEquals(await paths(engine), ["docs/a", "docs/b", "docs/c", "docs/index"]);
  assertEquals(conditions, [null, '"1"']);
  assertEquals(continued.last_sync?.failures.map(({ path, code }) => [path, code]), [[
    site.url,
    "incomplete",
  ]]);
});
