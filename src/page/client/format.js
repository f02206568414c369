/** Texts for people: dates, sizes, kinds of documents. */

const DAY = new Intl.DateTimeFormat("en", { dateStyle: "medium" });
const MINUTE = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
const NUMBER = new Intl.NumberFormat("en");

/**
 * Formats a day (`2026-11-28`) or a time of the server in the time zone of the browser.
 *
 * @param {unknown} value
 */
export function formatTime(value) {
  if (typeof value !== "string") return "";
  const isDay = /^\d{4}-\d\d-\d\d$/.test(value);
  const date = new Date(isDay ? `${value}T00:00` : value);
  if (Number.isNaN(date.getTime())) return value;
  return (isDay ? DAY : MINUTE).format(date);
}

/** @param {number} value */
export function formatNumber(value) {
  return NUMBER.format(value);
}

/** @param {unknown} bytes */
export function formatSize(bytes) {
  if (typeof bytes !== "number") return "";
  if (bytes < 1000) return `${bytes} bytes`;
  const units = ["kB", "MB", "GB", "TB"];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/**
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
export function plural(count, one, many = `${one}s`) {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

/** @param {unknown} mode */
export function describeMode(mode) {
  if (mode === "fts") return "by words";
  if (mode === "vector") return "by meaning";
  return mode === "hybrid" ? "by words and meaning" : String(mode ?? "");
}

/**
 * Returns the title of a document, or else the first line of its text, without the marks of a heading.
 *
 * @param {{ title?: string | null, text?: string, document_id?: string | number }} document
 */
export function titleOf({ title, text, document_id }) {
  if (title) return title;
  const line = (text ?? "").split("\n", 50).map((each) => each.replace(/^#{1,6}\s+/, "").trim()).find((
    each,
  ) => each !== "");
  if (line === undefined) return `Document ${document_id ?? ""}`;
  return line.length > 100 ? `${line.slice(0, 100)}…` : line;
}

/** @param {string | null | undefined} type */
export function typeOf(type) {
  return type || "note";
}
