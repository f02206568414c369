import type { ParagraphRole } from "../markdown/roles.ts";
import type { XmlElement } from "../xml/element.ts";

/** Number of styles in a chain of parents that are followed. */
const MAX_CHAIN = 32;

/** The paragraph and list styles of an OpenDocument file. */
export class OdfStyles {
  /** Names of the parents by style. */
  readonly #parents = new Map<string, string>();
  /** Whether the levels of a list are numbered, by list style. */
  readonly #lists = new Map<string, Set<number>>();

  /** Adds the styles of a part: `office:styles` and `office:automatic-styles`. */
  add(root: XmlElement | undefined): void {
    for (const section of root?.elements ?? []) {
      if (!/^office:(?:automatic-)?styles$/.test(section.name)) continue;
      for (const style of section.elements) {
        const name = style.get("style:name");
        if (name === undefined) continue;
        const parent = style.get("style:parent-style-name");
        if (style.name === "style:style" && parent !== undefined) this.#parents.set(name, parent);
        if (style.name === "text:list-style") this.#lists.set(name, numberedLevels(style));
      }
    }
  }

  /** Returns the role of a `text:p` by the name of its style and of the style's parents. */
  roleOf(style: string | undefined): ParagraphRole {
    let name = style;
    for (let i = 0; name !== undefined && i < MAX_CHAIN; i++) {
      const level = /^Heading(?:_20_| )(\d)$/.exec(name)?.[1];
      if (level !== undefined) return { kind: "heading", level: Number(level) };
      if (name === "Title") return { kind: "heading", level: 1 };
      if (/^(?:Preformatted(?:_20_| )Text|Source(?:_20_| )Code|Code)$/.test(name)) return { kind: "code" };
      name = this.#parents.get(name);
    }
    return { kind: "body" };
  }

  /** Whether a level (from 0) of a list is numbered. */
  isNumbered(list: string | undefined, level: number): boolean {
    return list !== undefined && (this.#lists.get(list)?.has(level) ?? false);
  }
}

function numberedLevels(style: XmlElement): Set<number> {
  const levels = style.elements.filter((level) =>
    level.name === "text:list-level-style-number" && level.get("style:num-format") !== ""
  );
  return new Set(levels.map((level) => Number(level.get("text:level")) - 1));
}
