import type { ParagraphRole } from "../../markdown/roles.ts";
import type { XmlElement } from "../../xml/element.ts";

/** Number of styles in a chain of base styles that are followed. */
const MAX_CHAIN = 32;

/** Numbering of a paragraph: the list and its level from 0. */
export interface ListPosition {
  readonly list: string | undefined;
  readonly level: number | undefined;
}

/** Properties of a paragraph style that the extractor reads (ECMA-376 part 1 §17.7). */
interface Style {
  readonly name: string;
  readonly base: string | undefined;
  /** 0 to 8; 9 is body text. */
  readonly outlineLevel: number | undefined;
  readonly position: ListPosition;
  readonly fontSize: number | undefined;
}

/** The paragraph styles of a Word document. */
export class WordStyles {
  readonly #styles = new Map<string, Style>();
  /** Size of text without a style, in half points. */
  readonly #defaultFontSize: number;

  constructor(root: XmlElement | undefined) {
    this.#defaultFontSize = fontSizeOf(root?.path("w:docDefaults", "w:rPrDefault", "w:rPr")) ?? 20;
    for (const element of root?.elements ?? []) {
      const id = element.get("w:styleId");
      if (element.name !== "w:style" || id === undefined) continue;
      const properties = element.child("w:pPr");
      this.#styles.set(id, {
        name: element.child("w:name")?.get("w:val") ?? "",
        base: element.child("w:basedOn")?.get("w:val"),
        outlineLevel: outlineLevelOf(properties),
        position: listPositionOf(properties),
        fontSize: fontSizeOf(element.child("w:rPr")),
      });
    }
  }

  /** Returns the role of a paragraph with these properties (`w:pPr`). */
  roleOf(properties: XmlElement | undefined): ParagraphRole {
    const id = properties?.child("w:pStyle")?.get("w:val");
    const chain = this.#chain(id);
    const own = outlineLevelOf(properties);
    const names = id === undefined ? [] : [chain[0]?.name ?? id];
    for (const style of chain) names.push(style.name);
    for (const name of names) {
      if (/^toc (?:\d|heading)/i.test(name)) return { kind: "contents" };
      const level = /^heading ?([1-9])$/i.exec(name)?.[1];
      // Heading 2 with the outline level of body text is not a heading.
      if (level !== undefined && own !== 9) return { kind: "heading", level: Number(level) };
      if (/^title$/i.test(name)) return { kind: "heading", level: 1 };
      if (/^(?:html preformatted|source code|code|preformatted text|plain text code)$/i.test(name)) {
        return { kind: "code" };
      }
    }
    const outlineLevel = own ?? chain.find((style) => style.outlineLevel !== undefined)?.outlineLevel;
    return outlineLevel === undefined || outlineLevel > 8
      ? { kind: "body" }
      : { kind: "heading", level: outlineLevel + 1 };
  }

  /** Returns the list and level of a paragraph: its own, or those of its style. */
  positionOf(properties: XmlElement | undefined): ListPosition {
    const positions = [
      listPositionOf(properties),
      ...this.#chain(properties?.child("w:pStyle")?.get("w:val")).map((style) => style.position),
    ];
    return {
      list: positions.find(({ list }) => list !== undefined)?.list,
      level: positions.find(({ level }) => level !== undefined)?.level,
    };
  }

  /** Returns the font size of a paragraph by its style, in half points. */
  fontSizeOf(properties: XmlElement | undefined): number {
    const chain = this.#chain(properties?.child("w:pStyle")?.get("w:val") ?? "Normal");
    return chain.find(({ fontSize }) => fontSize !== undefined)?.fontSize ?? this.#defaultFontSize;
  }

  #chain(id: string | undefined): Style[] {
    const chain: Style[] = [];
    for (let next = id; next !== undefined && chain.length < MAX_CHAIN;) {
      const style: Style | undefined = this.#styles.get(next);
      if (!style) break;
      chain.push(style);
      next = style.base;
    }
    return chain;
  }
}

/** Returns the font size of the properties of a run (`w:rPr`), in half points. */
export function fontSizeOf(properties: XmlElement | undefined): number | undefined {
  return Number(properties?.child("w:sz")?.get("w:val")) || undefined;
}

function outlineLevelOf(properties: XmlElement | undefined): number | undefined {
  const level = Number(properties?.child("w:outlineLvl")?.get("w:val") ?? "");
  return properties?.child("w:outlineLvl") && Number.isInteger(level) ? level : undefined;
}

function listPositionOf(properties: XmlElement | undefined): ListPosition {
  const numbering = properties?.child("w:numPr");
  const level = numbering?.child("w:ilvl")?.get("w:val");
  return {
    list: numbering?.child("w:numId")?.get("w:val"),
    level: level === undefined ? undefined : Math.min(Math.max(Number(level) || 0, 0), 8),
  };
}
