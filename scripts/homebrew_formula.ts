/**
 * `deno run -A scripts/homebrew_formula.ts SHA256SUMS`: prints the Homebrew formula of a release.
 *
 * @module
 */
import { VERSION } from "../src/version.ts";
import { readProject } from "./npm_package.ts";
import { print } from "./print.ts";

/**
 * Fills in the template of the formula.
 *
 * @param checksums Lines of `sha256sum`.
 * @throws {Error} When a file of the template has no checksum.
 */
export function homebrewFormula(
  template: string,
  { checksums, version, repository }: { checksums: string; version: string; repository: string },
): string {
  const sums = new Map(
    checksums.matchAll(/^([0-9a-f]{64}) [ *](\S+)$/gm).map(([, sum = "", file = ""]) => [file, sum]),
  );
  return template.replaceAll("@version@", version).replaceAll("@repository@", repository)
    .replaceAll(/@sha256:(\S+?)@/g, (_, file: string) => {
      const sum = sums.get(file);
      if (sum === undefined) throw new Error(`SHA256SUMS must contain ${file}`);
      return sum;
    });
}

if (import.meta.main) {
  const [path] = Deno.args;
  if (path === undefined) throw new Error("usage: homebrew_formula.ts SHA256SUMS");
  const template = await Deno.readTextFile("packaging/homebrew/kb-mcp.rb.template");
  const { repository } = await readProject();
  print(
    homebrewFormula(template, {
      checksums: await Deno.readTextFile(path),
      version: VERSION,
      repository: repository.url,
    }).trimEnd(),
  );
}
