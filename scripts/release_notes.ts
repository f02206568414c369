/**
 * `deno run -A scripts/release_notes.ts VERSION`: prints the section of CHANGELOG.md about a version.
 *
 * @module
 */
import { print } from "./print.ts";

/**
 * Returns the text below the heading of a version.
 *
 * @throws {Error} When the changelog has no text for that version.
 */
export function releaseNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((each) => /^\S+/.exec(each)?.[0] === version);
  const notes = section?.slice(section.indexOf("\n")).trim();
  if (!notes) throw new Error(`CHANGELOG.md must have a section "## ${version}" with text`);
  return notes;
}

if (import.meta.main) {
  const [version] = Deno.args;
  if (version === undefined) throw new Error("usage: release_notes.ts VERSION");
  print(releaseNotes(await Deno.readTextFile("CHANGELOG.md"), version));
}
