import { assert, assertEquals, assertMatch } from "@std/assert";
import { VERSION } from "../../src/version.ts";
import { filesBelow, read } from "./repository.ts";

Deno.test("every file names the version of Deno in .dvmrc", async () => {
  const pinned = (await read(".dvmrc")).trim();
  assertMatch(pinned, /^\d+\.\d+\.\d+$/);
  const named = new Map<string, string[]>();
  for (const path of await filesBelow("")) {
    // This script compiles against an older runtime, on purpose.
    if (path === "scripts/denort.ts") continue;
    const versions = (await read(path)).matchAll(
      /(?:(?<!setup-)\bdeno@|DENO_VERSION=|deno-version: )v?(\d[\w.]*)/g,
    );
    for (const [, version = ""] of versions) named.set(version, [...(named.get(version) ?? []), path]);
  }
  assertEquals([...named.keys()], [pinned], JSON.stringify(Object.fromEntries(named)));
  for (const path of ["README.md", "Dockerfile"]) assert(named.get(pinned)?.includes(path), path);
});

Deno.test("deno.json, the program, CHANGELOG.md and compose.yaml name one version of kb-mcp", async () => {
  const { version } = JSON.parse(await read("deno.json"));
  assertEquals(VERSION, version);
  assertEquals(/^## (\d+\.\d+\.\d+)/m.exec(await read("CHANGELOG.md"))?.[1], version, "CHANGELOG.md");
  assertEquals(/image: kb-mcp:(\S+)/.exec(await read("compose.yaml"))?.[1], version, "compose.yaml");
});

Deno.test("docs/clients.md and docs/tutorial.md name the version of the inspector that `deno task clients` runs", async () => {
  const version = (text: string) => /@modelcontextprotocol\/inspector@(\d+\.\d+\.\d+)/.exec(text)?.[1];
  const driven = version(await read("tests/clients/inspector.ts"));
  assert(driven !== undefined, "tests/clients/inspector.ts must name a version");
  for (const page of ["docs/clients.md", "docs/tutorial.md"]) {
    assertEquals(version(await read(page)), driven, page);
  }
});

Deno.test("every GitHub action is pinned to one exact version", async () => {
  const versions = new Map<string, Set<string>>();
  for (const path of await filesBelow(".github/workflows")) {
    for (const [, action = "", version = ""] of (await read(path)).matchAll(/\buses: ([^@\s]+)@(\S+)/g)) {
      assertMatch(version, /^v\d+\.\d+\.\d+$/, `${path}: ${action}`);
      versions.set(action, (versions.get(action) ?? new Set()).add(version));
    }
  }
  assert(versions.size > 5);
  assertEquals([...versions].filter(([, found]) => found.size > 1), []);
});

Deno.test("every dependency is pinned to one exact version", async () => {
  const { imports } = JSON.parse(await read("deno.json")) as { imports: Record<string, string> };
  const loose = Object.entries(imports).filter(([, target]) =>
    !/^(?:npm:\/?[^@]*(?:@[^@/]+\/[^@]+)?@\d+\.\d+\.\d+\/?$|\.\/)/.test(target)
  );
  assertEquals(loose, []);
});
