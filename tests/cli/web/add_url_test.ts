import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { ConfigError } from "../../../src/config/mod.ts";
import { ExitError } from "../../../src/cli/exit_status.ts";
import { type AddUrlOptions, addUrls } from "../../../src/cli/web/add_url.ts";
import { startSite, type TestPage } from "../../crawler/site.ts";
import { ClientFixture } from "../client/client_fixture.ts";

const html = (title: string, body = "") => `<title>${title}</title><p>The text of ${title}.</p>${body}`;

Deno.test("add URL", async (t) => {
  const pages: Record<string, TestPage> = {
    "/docs/": html("Start", `<a href="guide/a">A</a><a href="broken">B</a>`),
    "/docs/guide/a": html("Guide"),
    "/docs/broken": new Response("down", { status: 500 }),
    "/faq": html("FAQ"),
  };
  await using site = startSite(pages);
  const fetch = { userAgent: "kb-mcp/1.2.3", delayMs: 0, allowedHosts: [site.host] };
  await using kb = await ClientFixture.open({ fetch });
  const name = "127-0-0-1";
  const add = (paths: string[], options: AddUrlOptions = {}) => (context: Parameters<typeof addUrls>[2]) =>
    addUrls(paths.map((path) => path.startsWith("http") ? path : site.url + path), options, context, fetch);
  const sources = async () =>
    (await kb.client.sources()).map(({ name, documents, pages }) => [name, documents, pages?.length]);

  await t.step(
    "a page is printed as the document that it has become, and joins the source of its host",
    async () => {
      const { text } = await kb.terminal(add(["docs/guide/a"]));
      assertMatch(text, new RegExp(`Guide.*path: ${name}/docs/guide/a.*url: ${site.url}docs/guide/a`, "s"));
      const document = await kb.json(add(["faq"]));
      assertEquals([document.title, document.source_path], ["FAQ", `${name}/faq`]);
      assertEquals(await sources(), [[name, 2, 1]]);
    },
  );

  await t.step("a page that cannot be fetched fails, and does not stay in the source", async () => {
    await assertRejects(() => kb.terminal(add(["missing"])), ExitError, "The page does not exist");
    await assertRejects(
      () => kb.terminal(add(["http://169.254.169.254/"])),
      ExitError,
      "public addresses only",
    );
    const credentials = add(["http://user:secret@example.com/"]);
    await assertRejects(() => kb.terminal(credentials), ConfigError, "The URL must not have credentials");
    assertEquals(await sources(), [[name, 2, 1]]);
    let status = 0;
    const { error } = await kb.terminal(async (context) => status = await add(["faq", "missing"])(context));
    assertEquals([status, error], [2, "The page does not exist\n"]);
  });

  await t.step("a crawl can be previewed, and prints its report", async () => {
    const preview = await kb.json(add(["docs/"], { crawl: true, dryRun: true, name: "site" }));
    assertEquals(preview.pages.map(({ path }: { path: string }) => path), ["site/index", "site/guide/a"]);
    assertEquals(preview.failures.map(({ code }: { code: string }) => code), ["http_status"]);
    assertEquals((await sources()).length, 1);
    const options = { crawl: true, name: "site", versionLabel: "2", collection: "manual", tags: ["web"] };
    const { text } = await kb.terminal(add(["docs/"], options));
    assertMatch(
      text,
      /^site: 2 created, 1 failed; 2 documents\n {2}.*broken: .*status 500 \(http_status\)\n$/,
    );
    const { documents } = await kb.client.queryDocuments({ source_path_prefix: "site/", limit: 1 });
    assertEquals(documents?.[0]?.tags.toSorted(), ["collection:manual", "version:2", "web"]);
  });

  await t.step("an engine without sources gets what this process fetches, under its URL", async () => {
    const old = kb.clientWith(async (request, send) => {
      const response = await send(request);
      if (!request.url.endsWith("/status")) return response;
      if (!request.url.endsWith("/status")) return response;
      return Response.json({ ...await response.json(), version: "3.3.0" });
    });
    const result = await kb.json(add(["docs/"], { crawl: true, tags: ["old"] }), old);
    assertEquals(result.stored, [`${site.url}docs/`, `${site.url}docs/guide/a`]);
    assertEquals(result.failures.length, 1);
    const { documents: [document] } = await kb.client.documents({ source_path: `${site.url}docs/guide/a` });
    assertEquals([document?.title, document?.tags.toSorted()], ["Guide", ["collection:documents", "old"]]);
    await assertRejects(
      () => kb.terminal(add(["http://10.0.0.1/"]), old),
      ExitError,
      "public addresses only",
    );
  });
});
