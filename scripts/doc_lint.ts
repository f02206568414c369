/**
 * `deno doc --lint` over the public API of every folder of src (its `mod.ts`).
 *
 * @module
 */
import { print } from "./print.ts";
import { runCommand } from "./run_command.ts";

/**
 * Filters the output of `deno doc --lint`. Its rules target published packages with explicit types; here types are
 * inferred from zod schemas, so these diagnostics are dropped:
 *
 * - `missing-explicit-type`: a zod schema is its own type annotation.
 * - `private-type-ref` to a library's type.
 * - `missing-jsdoc` of a member: the documented interface covers `readonly title: string`.
 *
 * The rest is kept: exported symbols without a doc comment, and references to unexported types of this repository.
 *
 * @param isDeclaredInSrc Whether src declares a type of this name.
 * @throws {Error} When the output holds no diagnostics, which means that its format changed or `deno doc` crashed.
 */
export function relevantDiagnostics(
  output: string,
  isDeclaredInSrc: (typeName: string) => boolean,
): string[] {
  const blocks = output.split(/^(?=error\[)/m).filter((block) => block.startsWith("error["));
  if (blocks.length === 0) {
    throw new Error(`Cannot read the output of deno doc --lint: no diagnostics in\n${output}`);
  }
  return blocks.filter((block) => {
    switch (/^error\[([\w-]+)\]/.exec(block)?.[1]) {
      case "missing-explicit-type":
        return false;
      case "private-type-ref":
        return isDeclaredInSrc(/references private type '(\w+)/.exec(block)?.[1] ?? "");
      case "missing-jsdoc":
        return /^\d+ \| export /m.test(block);
      default:
        return true;
    }
  }).map((block) => block.trim());
}

/** Collects every `mod.ts` below a folder, and the names of all types declared there. */
async function scan(folder: string, modules: string[], types: Set<string>): Promise<void> {
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) await scan(path, modules, types);
    else if (entry.name.endsWith(".ts")) {
      if (entry.name === "mod.ts") modules.push(path);
      const declarations = /^(?:export )?(?:declare )?(?:type|interface|class|enum) (\w+)/gm;
      for (const [, name = ""] of (await Deno.readTextFile(path)).matchAll(declarations)) types.add(name);
    }
  }
}

if (import.meta.main) {
  const modules: string[] = [];
  const types = new Set<string>();
  await scan("src", modules, types);
  const { code, output } = await runCommand(["deno", "doc", "--lint", "--quiet", ...modules.sort()]);
  const diagnostics = code === 0 ? [] : relevantDiagnostics(output, (name) => types.has(name));
  for (const diagnostic of diagnostics) print(diagnostic + "\n");
  print(`${modules.length} modules, ${diagnostics.length} problems`);
  Deno.exit(diagnostics.length > 0 ? 1 : 0);
}
