import { assert, assertEquals, assertMatch } from "@std/assert";
import { FILES, INDEX } from "../../src/page/files.ts";
import { acceptsPage, servePage } from "../../src/page/mod.ts";

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

function get(file?: string, headers: Record<string, string> = {}): Promise<Response | undefined> {
  return servePage(new Request("http://127.0.0.1/", { headers }), { file });
}

Deno.test("only clients that name HTML get the page", () => {
  for (const accept of [BROWSER, "text/html", "TEXT/HTML;q=0.5", "application/json, text/html;level=1"]) {
    assert(acceptsPage(accept), accept);
  }
  for (
    const accept of [
      null,
      "",
      "*/*",
      "application/json, text/event-stream",
      "text/*",
      "text/html;q=0",
      "text/htmlx",
    ]
  ) {
    assert(!acceptsPage(accept), String(accept));
  }
});

Deno.test("the page and its files forbid everything that they do not need", async () => {
  for (const file of [undefined, ...FILES.keys()]) {
    const response = await get(file);
    const { headers } = response!;
    await response!.body?.cancel();
    const policy = new Map(
      headers.get("content-security-policy")!.split("; ").map((each) => {
        const [name = "", ...values] = each.split(" ");
        return [name, values.join(" ")];
      }),
    );
    assertEquals(Object.fromEntries(policy), {
      "default-src": "'none'",
      "script-src": "'self'",
      "style-src": "'self'",
      "img-src": "'self'",
      "connect-src": "'self'",
      "base-uri": "'none'",
      "form-action": "'none'",
      "frame-ancestors": "'none'",
      "require-trusted-types-for": "'script'",
      "trusted-types": "'none'",
    });
    assertEquals(headers.get("x-content-type-options"), "nosniff");
    assertEquals(headers.get("referrer-policy"), "no-referrer");
    assertEquals(headers.get("cross-origin-opener-policy"), "same-origin");
    assertEquals(headers.get("cross-origin-resource-policy"), "same-origin");
    assertEquals(headers.get("cache-control"), "no-cache");
    assertEquals(headers.get("access-control-allow-origin"), null);
  }
});

Deno.test("each file has its type", async () => {
  const types: Record<string, string> = {
    "main.js": "text/javascript; charset=utf-8",
    "style.css": "text/css; charset=utf-8",
    "icon.svg": "image/svg+xml",
  };
  for (const [file, type] of Object.entries(types)) {
    const response = await get(file);
    assertEquals([file, response!.headers.get("content-type")], [file, type]);
    assertEquals(await response!.text(), FILES.get(file));
  }
  for (const file of ["", "nothing.js", "../mod.ts", "constructor", "main.js/"]) {
    assertEquals(await get(file), undefined);
  }
});

Deno.test("a file that the browser has is not sent again", async () => {
  const first = await get("main.js");
  const etag = first!.headers.get("etag")!;
  await first!.body?.cancel();
  assertMatch(etag, /^"[0-9a-f]{32}"$/);
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
    const response = await get("main.js", { "if-none-match": known });
    assertEquals([known, response!.status, response!.body, response!.headers.get("etag")], [
      known,
      304,
      null,
      etag,
    ]);
  }
  for (const other of ['"other"', etag.slice(1, -1), ""]) {
    const response = await get("main.js", { "if-none-match": other });
    assertEquals([other, response!.status], [other, 200]);
    await response!.body?.cancel();
  }
});

Deno.test("the page contains every file of its folder, and its scripts import only those", async () => {
  const folder = new URL("../../src/page/client/", import.meta.url);
  const names = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).sort();
  assertEquals(["index.html", ...FILES.keys()].sort(), names);
  for (const [name, content] of FILES) {
    for (const [, specifier = ""] of content.matchAll(/^(?:import\s.*|\} from )"([^"]+)";$/gm)) {
      assert(FILES.has(specifier.replace(/^\.\//, "")), `${name} imports ${specifier}`);
    }
  }
  const loaded = [...INDEX.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, path = ""]) => path);
  for (const path of loaded) assert(path.startsWith("page/") && FILES.has(path.slice(5)), path);
});

Deno.test("nothing in the page parses markup, runs text as code, or has inline scripts and styles", () => {
  const forbidden =
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|setHTML|srcdoc|\beval\b|new Function|localStorage|document\.cookie|\.style\b|<script>|<style|\sstyle=|\son\w+="/;
  for (const [name, content] of [["index.html", INDEX] as const, ...FILES]) {
    assertEquals([name, forbidden.exec(content)?.[0]], [name, undefined]);
  }
});
