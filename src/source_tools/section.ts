import type { Source } from "../contract/mod.ts";
import { closestName, oneLine, quoteText, unicodeForms } from "../text/mod.ts";

/** Maximum number of sections in a message. */
const MAX_NAMED = 20;
/** Maximum length of a section in a message. */
const MAX_CHARS = 100;

/**
 * Returns the prefix of the paths in a section: the empty text without one. Its letters are composed or decomposed as
 * those of the folder at the top are.
 */
export function sectionPrefix(section: string | undefined, { sections }: Pick<Source, "sections">): string {
  const name = section?.replace(/^\/+|\/+$/g, "") ?? "";
  if (name === "") return "";
  const isKnown = (form: string) =>
    sections.some((top) => form === top.name || form.startsWith(`${top.name}/`));
  return `${unicodeForms(name).find(isKnown) ?? name}/`;
}

/** Returns the problem of a section without documents: as an empty result, it would pass for one without problems. */
export function emptySection(prefix: string, { name, sections }: Source): string {
  const section = prefix.slice(0, -1);
  const names = sections.map((each) => each.name).filter((each) => each !== "");
  const closest = closestName(section.toLowerCase(), names.map((each) => each.toLowerCase()));
  const near = names.filter((each) => each.toLowerCase() === closest);
  const shown = (near.length > 0 ? near : names.slice(0, MAX_NAMED)).map(quoted);
  const more = near.length === 0 && names.length > MAX_NAMED ? ", …" : "";
  const hint = near.length > 0
    ? ` Did you mean ${shown.join(" or ")}?`
    : names.length > 0
    ? ` Sections: ${shown.join(", ")}${more}.`
    : "";
  return `The source ${name} has no documents in ${quoted(section)}.${hint}`;
}

function quoted(section: string): string {
  return quoteText(oneLine(section, MAX_CHARS));
}
