/** Whether a type of this name (a constant is none) is declared in our own sources, and so could be exported. */
export type IsOurs = (typeName: string) => boolean;

/**
 * Picks what matters here out of what `deno doc --lint` prints. Its rules are made for packages that are published with
 * their types written out; ours are inferred from zod schemas, so these are no faults:
 *
 * - `missing-explicit-type`: a schema is its own type annotation.
 * - `private-type-ref` to a type of a library.
 * - `missing-jsdoc` of a member: `readonly title: string` of a documented interface says it all.
 *
 * What stays: an exported symbol without a comment, and one that needs a type of ours that is not exported.
 *
 * @throws {Error} When nothing in the output looks like a diagnostic: its format has changed.
 */
export function docDiagnostics(output: string, isOurs: IsOurs): string[] {
  const blocks = output.split(/^(?=error\[)/m).filter((block) => block.startsWith("error["));
  if (blocks.length === 0) throw new Error(`deno doc --lint must print diagnostics, got:\n${output}`);
  return blocks.filter((block) => {
    const rule = /^error\[([\w-]+)\]/.exec(block)?.[1];
    if (rule === "missing-explicit-type") return false;
    if (rule === "private-type-ref") return isOurs(/references private type '(\w+)/.exec(block)?.[1] ?? "");
    if (rule === "missing-jsdoc") return /^\d+ \| export /m.test(block);
    return true;
  }).map((block) => block.trim());
}
