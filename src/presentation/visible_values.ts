import { escapeInvisible, visibleText } from "../text/mod.ts";

/** Fields that other calls take, so they must stay as the engine sent them. */
const ID_FIELDS: ReadonlySet<string> = new Set(["document_id", "chunk_id", "job_id"]);

/**
 * Removes invisible characters from every text and field name of a value, recursively. The value's own ids
 * stay unchanged; a field of front matter is never treated as an id.
 *
 * @example
 * ```ts
 * import { withVisibleText } from "./visible_values.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(withVisibleText({ document_id: 1, tags: ["a\u200bb"] }), { document_id: 1, tags: ["ab"] });
 * ```
 */
export function withVisibleText<T>(value: T): T {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return visible(value) as T;
  return mapFields(value, (field, name) => ID_FIELDS.has(name) ? field : visible(field)) as T;
}

/** Visible copies of frozen values: an engine in this process returns the same values to many calls. */
const visibleCopies = new WeakMap<object, unknown>();

/** Frozen values are deeply frozen. */
function visible(value: unknown): unknown {
  if (typeof value === "string") return visibleText(value);
  if (typeof value !== "object" || value === null || !Object.isFrozen(value)) return visibleCopy(value);
  let copy = visibleCopies.get(value);
  if (copy === undefined) visibleCopies.set(value, copy = visibleCopy(value));
  return copy;
}

function visibleCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(visible);
  if (typeof value !== "object" || value === null) return value;
  return mapFields(value, visible);
}

/**
 * Maps the fields of an object and makes their names visible. A name that would then equal another one is
 * escaped instead: a hidden field must not replace a visible one, or an id.
 */
function mapFields(value: object, map: (field: unknown, name: string) => unknown): Record<string, unknown> {
  const mapped: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    if (visibleText(name) !== name) return mapWithNames(value, map);
    addField(mapped, name, map((value as Record<string, unknown>)[name], name));
  }
  return mapped;
}

function mapWithNames(
  value: object,
  map: (field: unknown, name: string) => unknown,
): Record<string, unknown> {
  const fields = Object.entries(value);
  const isVisible = ([name]: [string, unknown]) => visibleText(name) === name;
  const names = new Set(fields.filter(isVisible).map(([name]) => name));
  return Object.fromEntries(fields.map(([name, field]) => [visibleName(name, names), map(field, name)]));
}

/** Returns the visible form of a name, and adds it to `names`. */
function visibleName(name: string, names: Set<string>): string {
  const plain = visibleText(name);
  if (plain === name) return name;
  const shown = names.has(plain) ? escapeInvisible(name) : plain;
  let unique = shown;
  for (let n = 2; names.has(unique); n++) unique = `${shown} (${n})`;
  names.add(unique);
  return unique;
}

/** Adds a field of any name: an assignment to `__proto__`, which front matter can have, would set the prototype. */
export function addField(fields: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== "__proto__") fields[name] = value;
  else Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true });
}
