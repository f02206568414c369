import { formatNumber } from "../../list_numbers.ts";
import type { XmlElement } from "../../xml/element.ts";

/** A level of a list definition (ECMA-376 part 1 §17.9.6). */
interface ListLevel {
  readonly format: string;
  readonly start: number;
  /** `%1.%2` with the numbers of the levels. */
  readonly text: string;
}

/** A label of a list item: `-`, or its number as Word shows it. */
export interface ListLabel {
  /** Level from 0. */
  readonly level: number;
  readonly text: string;
}

/** Counts the items of the lists of a Word document. */
export class WordNumbering {
  readonly #definitions = new Map<string, Map<number, ListLevel>>();
  /** Definition and levels that restart, by list. */
  readonly #lists = new Map<string, { definition: string; overrides: Map<number, ListLevel> }>();
  /** Current numbers of the levels by definition: lists with the same definition continue each other. */
  readonly #counters = new Map<string, number[]>();
  readonly #started = new Set<string>();

  constructor(root: XmlElement | undefined) {
    for (const element of root?.elements ?? []) {
      const id = element.get("w:abstractNumId");
      if (element.name === "w:abstractNum" && id !== undefined) this.#definitions.set(id, levelsOf(element));
      const list = element.get("w:numId");
      const definition = element.child("w:abstractNumId")?.get("w:val");
      if (element.name === "w:num" && list !== undefined && definition !== undefined) {
        this.#lists.set(list, { definition, overrides: this.#overrides(element, definition) });
      }
    }
  }

  /** Counts an item, and returns its label; `undefined` if the list does not exist or has no labels. */
  next(list: string, level: number): ListLabel | undefined {
    const found = this.#lists.get(list);
    if (!found) return undefined;
    const levels = this.#definitions.get(found.definition);
    const own = found.overrides.get(level) ?? levels?.get(level);
    if (!own) return { level, text: "-" };
    const counters = this.#counters.get(found.definition) ?? [];
    this.#counters.set(found.definition, counters);
    for (const overridden of found.overrides.keys()) {
      const key = `${list} ${overridden}`;
      if (this.#started.has(key)) continue;
      this.#started.add(key);
      counters.length = Math.min(counters.length, overridden);
    }
    counters[level] = (counters[level] ?? own.start - 1) + 1;
    counters.length = level + 1;
    if (own.format === "bullet") return { level, text: "-" };
    if (own.format === "none" && !own.text.includes("%")) {
      return own.text === "" ? undefined : { level, text: own.text };
    }
    const text = own.text.replace(/%([1-9])/g, (_, digit: string) => {
      const index = Number(digit) - 1;
      const definition = found.overrides.get(index) ?? levels?.get(index);
      return formatNumber(counters[index] ?? definition?.start ?? 1, definition?.format ?? "decimal");
    });
    return { level, text: text.trim() === "" ? "-" : text.trim() };
  }

  #overrides(element: XmlElement, definition: string): Map<number, ListLevel> {
    const overrides = new Map<number, ListLevel>();
    for (const override of element.elements) {
      const level = Number(override.get("w:ilvl"));
      if (override.name !== "w:lvlOverride" || !Number.isInteger(level)) continue;
      const own = override.child("w:lvl");
      const base = own ? levelOf(own) : this.#definitions.get(definition)?.get(level);
      const start = override.child("w:startOverride")?.get("w:val");
      if (base) overrides.set(level, start === undefined ? base : { ...base, start: Number(start) || 0 });
    }
    return overrides;
  }
}

function levelsOf(definition: XmlElement): Map<number, ListLevel> {
  const levels = new Map<number, ListLevel>();
  for (const element of definition.elements) {
    const level = Number(element.get("w:ilvl"));
    if (element.name === "w:lvl" && level >= 0 && level <= 8) levels.set(level, levelOf(element));
  }
  return levels;
}

function levelOf(element: XmlElement): ListLevel {
  const start = Number(element.child("w:start")?.get("w:val") ?? 1);
  return {
    format: element.child("w:numFmt")?.get("w:val") ?? "decimal",
    start: Number.isInteger(start) ? start : 1,
    text: element.child("w:lvlText")?.get("w:val") ?? "",
  };
}
