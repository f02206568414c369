import { assert, assertEquals, assertMatch } from "@std/assert";
import { VERSION } from "../../src/version.ts";
import { read } from "./repository.ts";

Deno.test("one version of Deno: README, .ci/run and Dockerfile name the one in .dvmrc", async () => {
  const pinned = (await read(".dvmrc")).trim();
  assertMatch(pinned, /^\d+\.\d+\.\d+$/);
  for (const path of ["README.md", ".ci/run", "Dockerfile"]) {
    const named = [...(await read(path)).matchAll(/(?:deno@|DENO_VERSION=)([\w.]+)/g)].map(([, version]) =>
      version
    );
    assert(named.length > 0, `${path} must name the version of Deno`);
    assertEquals([...new Set(named)], [pinned], path);
  }
});

Deno.test("one version of kb-mcp: deno.json, the program, the changelog and compose.yaml agree", async () => {
  const { version } = JSON.parse(await read("deno.json"));
  assertEquals(VERSION, version);
  assertEquals(/^## (\d+\.\d+\.\d+)/m.exec(await read("CHANGELOG.md"))?.[1], version, "CHANGELOG.md");
  assertEquals(/image: kb-mcp:(\S+)/.exec(await read("compose.yaml"))?.[1], version, "compose.yaml");
});

Deno.test("one version of the inspector: README.md names the one that `task clients` drives", async () => {
  const version = (text: string) => /@modelcontextprotocol\/inspector@(\d+\.\d+\.\d+)/.exec(text)?.[1];
  const driven = version(await read("tests/clients/inspector.ts"));
  assert(driven !== undefined, "tests/clients/inspector.ts must name a version");
  assertEquals(version(await read("README.md")), driven);
});

Deno.test("every dependency is pinned to one exact version", async () => {
  const { imports } = JSON.parse(await read("deno.json")) as { imports: Record<string, string> };
  const loose = Object.entries(imports).filter(([, target]) =>
    !/^(?:npm:\/?[^@]*(?:@[^@/]+\/[^@]+)?@\d+\.\d+\.\d+\/?$|\.\/)/.test(target)
  );
  assertEquals(loose, []);
});
