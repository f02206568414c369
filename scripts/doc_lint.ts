/**
 * `deno doc --lint` over everything that the folders of src show to one another (their `mod.ts`).
 *
 * @module
 */
import { docDiagnostics } from "./doc_diagnostics.ts";
import { print } from "./print.ts";
import { run } from "./run.ts";

const modules: string[] = [];
const declared = new Set<string>();

async function survey(folder: string): Promise<void> {
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) await survey(path);
    else if (entry.name.endsWith(".ts")) {
      if (entry.name === "mod.ts") modules.push(path);
      const declarations = /^(?:export )?(?:declare )?(?:type|interface|class|enum) (\w+)/gm;
      for (const [, name = ""] of (await Deno.readTextFile(path)).matchAll(declarations)) declared.add(name);
    }
  }
}

await survey("src");
const { code, output } = await run(["deno", "doc", "--lint", "--quiet", ...modules.sort()]);
const diagnostics = code === 0 ? [] : docDiagnostics(output, (name) => declared.has(name));
for (const diagnostic of diagnostics) print(diagnostic + "\n");
print(`${modules.length} modules, ${diagnostics.length} faults`);
Deno.exit(diagnostics.length > 0 ? 1 : 0);
