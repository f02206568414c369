import { assert, assertEquals, assertThrows } from "@std/assert";
import { withGeneratedSections } from "../../scripts/generated_docs.ts";
import { SETTINGS } from "../../src/config.ts";
import { tools } from "../../src/tools/mod.ts";
import { read } from "./repository.ts";

/** Every word of the form KB_… in a text. */
function environmentVariables(text: string): Set<string> {
  return new Set(text.match(/\bKB_[A-Z][A-Z_]*[A-Z]\b/g) ?? []);
}

Deno.test("README.md tells of the settings and tools as they are (else: deno task docs)", async () => {
  const readme = await read("README.md");
  assertEquals(readme.split("\n"), withGeneratedSections("README.md", readme).split("\n"));
});

Deno.test("the generated sections name every setting and every tool", async () => {
  const readme = withGeneratedSections("README.md", await read("README.md"));
  for (const name of [...Object.keys(SETTINGS), ...tools.map((tool) => tool.name)]) {
    assert(readme.includes(`\n| \`${name}\` |`), name);
  }
});

Deno.test("a README without a marker is refused with the marker's name", () => {
  const error = assertThrows(() => withGeneratedSections("README.md", "# kb-mcp\n"), Error);
  assert(error.message.includes("<!-- generated:config -->"), error.message);
});

Deno.test("every task that README.md, Dockerfile and .ci/run name exists", async () => {
  const { tasks } = JSON.parse(await read("deno.json"));
  for (const path of ["README.md", "Dockerfile", ".ci/run"]) {
    const named = [...(await read(path)).matchAll(/\bdeno(?:@[\w.]+)? task (\w+)/g)].map(([, name]) =>
      name ?? ""
    );
    assert(named.length > 0, path);
    assertEquals(named.filter((name) => !(name in tasks)), [], path);
  }
});

Deno.test("every KB_ variable that README.md, Dockerfile and compose.yaml name is a setting", async () => {
  const settings: Record<string, { secret: boolean }> = SETTINGS;
  for (const path of ["README.md", "Dockerfile", "compose.yaml"]) {
    const unknown = [...environmentVariables(await read(path))].filter((name) =>
      !(name in settings) && !settings[name.replace(/_FILE$/, "")]?.secret
    );
    assertEquals(unknown, [], path);
  }
});

Deno.test("README.md gives a reason for every npm package in the import map", async () => {
  const { imports } = JSON.parse(await read("deno.json")) as { imports: Record<string, string> };
  const packages = Object.values(imports).flatMap((target) => /^npm:\/?(@?[^@]+)@/.exec(target)?.[1] ?? []);
  assert(packages.length > 0);
  const [, dependencies = ""] = (await read("README.md")).split("## Dependencies");
  assertEquals(packages.filter((name) => !dependencies.includes(`\`${name}\``)), []);
});
