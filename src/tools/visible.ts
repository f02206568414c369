import { visibleText } from "../text/visible_text.ts";

/** What other calls take must come back as it was: an id that was changed is the id of nothing. */
const IS_ID = /_id$/;

/**
 * An answer of the engine with every text in it as a person would see it (see `visibleText`), however deep it stands: an
 * engine from elsewhere adds fields of its own. Ids stay as they are.
 *
 * @example
 * ```ts
 * import { visible } from "./visible.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(visible({ document_id: 1, tags: ["a\u200bb"] }), { document_id: 1, tags: ["ab"] });
 * ```
 */
export function visible<T>(value: T): T {
  if (typeof value === "string") return visibleText(value) as T;
  if (Array.isArray(value)) return value.map((item) => visible(item)) as T;
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value);
  return Object.fromEntries(
    fields.map(([name, field]) => [name, IS_ID.test(name) ? field : visible(field)]),
  ) as T;
}
