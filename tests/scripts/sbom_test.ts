import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { DEVELOPMENT, modelComponent, npmComponents } from "../../scripts/sbom.ts";
import { filesBelow, read } from "../packaging/repository.ts";

/** npm packages of the import map, with their versions. */
async function importMap(): Promise<Map<string, string>> {
  const { imports } = JSON.parse(await read("deno.json")) as { imports: Record<string, string> };
  return new Map(
    Object.values(imports).flatMap((target) => {
      const [, name, version] = /^npm:\/?(@?[^@]+)@([^/]+)/.exec(target) ?? [];
      return name === undefined || version === undefined ? [] : [[name, version] as const];
    }),
  );
}

/** Names of the packages that src imports at run time. */
async function runtimeImports(packages: Iterable<string>): Promise<string[]> {
  const sources = await Promise.all(
    (await filesBelow("src")).filter((path) => path.endsWith(".ts")).map(read),
  );
  return [...packages].filter((name) =>
    sources.some((source) => {
      const withoutTypes = source.replaceAll(/^import type [^;]*;|\btypeof import\([^)]*\)|^ \*.*$/gm, "");
      return new RegExp(`(?:\\bfrom |\\bimport\\(\\s*)"${name}[/"]`).test(withoutTypes);
    })
  );
}

Deno.test("the SBOM lists the packages that src imports at run time, with versions and hashes", async () => {
  const packages = await importMap();
  const components = npmComponents(await read("deno.lock"));
  for (const name of await runtimeImports(packages.keys())) {
    const versions = components.filter((each) => each.name === name).map(({ version }) => version);
    assert(versions.includes(packages.get(name) ?? ""), `${name}: ${versions}`);
  }
  assert(components.some(({ name }) => name === "domhandler"), "a dependency of htmlparser2");
  assert(components.every(({ hashes }) => hashes?.[0]?.content.length === 128));
  assert(
    components.every(({ purl, version }) => purl.startsWith("pkg:npm/") && purl.endsWith(`@${version}`)),
  );
});

Deno.test("the SBOM leaves out exactly the packages that src does not import at run time", async () => {
  const packages = await importMap();
  const used = await runtimeImports(packages.keys());
  assertEquals([...packages.keys()].filter((name) => !used.includes(name)).sort(), [...DEVELOPMENT]);
  const names = npmComponents(await read("deno.lock")).map(({ name }) => name);
  assertEquals(names.filter((name) => DEVELOPMENT.includes(name)), []);
});

Deno.test("the SBOM names the embedding model with its license and hash, and NOTICE names its origin", async () => {
  const { name, purl, hashes, licenses } = modelComponent();
  assertEquals([name, licenses?.[0]?.license.id], ["all-MiniLM-L6-v2", "Apache-2.0"]);
  assertMatch(purl, /^pkg:huggingface\/sentence-transformers\/all-MiniLM-L6-v2@[0-9a-f]{40}$/);
  assertMatch(hashes?.[0]?.content ?? "", /^[0-9a-f]{64}$/);
  assertStringIncludes(await read("NOTICE"), "huggingface.co/sentence-transformers/all-MiniLM-L6-v2");
  assertStringIncludes(await read("licenses/Apache-2.0.txt"), "Version 2.0, January 2004");
});
