import { assert, assertEquals } from "@std/assert";
import { npmComponents } from "../../scripts/sbom.ts";
import { read } from "../packaging/repository.ts";

Deno.test("the SBOM lists the packages of the program, with their dependencies, versions and hashes", async () => {
  const components = npmComponents(await read("deno.lock"));
  const names = components.map(({ name }) => name);
  const { imports } = JSON.parse(await read("deno.json")) as { imports: Record<string, string> };
  for (const target of Object.values(imports)) {
    const [, name = "", version] = /^npm:\/?(@?[^@]+)@([^/]+)/.exec(target) ?? [];
    if (name === "" || ["gpt-tokenizer", "wabt"].includes(name)) continue;
    assertEquals(components.find((each) => each.name === name)?.version, version, name);
  }
  // A dependency of turndown.
  assert(names.includes("@mixmark-io/domino"));
  assert(components.every(({ hashes }) => hashes?.[0]?.content.length === 128));
  assert(
    components.every(({ purl, version }) => purl.startsWith("pkg:npm/") && purl.endsWith(`@${version}`)),
  );
});

Deno.test("the SBOM leaves out packages that only scripts and tests import", async () => {
  const names = npmComponents(await read("deno.lock")).map(({ name }) => name);
  assertEquals(names.filter((name) => ["gpt-tokenizer", "wabt"].includes(name)), []);
});
