import { markdownTable } from "../markdown/table.ts";
import type { XmlElement } from "../xml/element.ts";

/** Maximum number of categories of a chart that are read. */
const MAX_POINTS = 10_000;

/** Writes a chart (ECMA-376 part 1 §21.2): its titles, and its series as a table with one row per category. */
export function chartMarkdown(root: XmlElement): string[] {
  const blocks = root.descendants("c:title").map((title) =>
    title.descendants("a:t", "c:v").map((part) => part.text).join("").trim()
  ).filter((title) => title !== "");
  const series = root.descendants("c:ser");
  const names = series.map((each) => pointsOf(each.child("c:tx"))[0] ?? "");
  const categories =
    series.map((each) => pointsOf(each.child("c:cat", "c:xVal"))).find((points) => points.length > 0) ??
      [];
  const values = series.map((each) => pointsOf(each.child("c:val", "c:yVal")));
  const rowCount = Math.max(categories.length, ...values.map((points) => points.length), 0);
  const rows = Array.from(
    { length: rowCount },
    (_, row) => [categories[row], ...values.map((points) => points[row])],
  );
  const table = markdownTable(
    [["", ...names], ...rows].map((row) => row.map((text) => ({ text: text ?? "" }))),
  );
  return table === "" ? blocks : [...blocks, table];
}

/** Returns the cached points of a reference by their index. */
function pointsOf(reference: XmlElement | undefined): string[] {
  const points: string[] = [];
  for (const point of reference?.descendants("c:pt") ?? []) {
    const index = Number(point.get("idx"));
    if (!(index >= 0 && index < MAX_POINTS)) continue;
    points[index] = [points[index], shortNumber(point.child("c:v")?.text ?? "")].filter((text) => text).join(
      " ",
    );
  }
  const literal = reference?.child("c:v")?.text;
  return points.length === 0 && literal !== undefined ? [literal] : points;
}

/** Shortens numbers such as 4.2999999999999998, which a chart stores with all digits of a double. */
function shortNumber(text: string): string {
  return /^-?\d+\.\d{10,}(?:E[+-]?\d+)?$/i.test(text) ? String(Number(Number(text).toPrecision(12))) : text;
}

/** Returns the texts of a diagram (SmartArt, §21.4.2.10), one per shape. */
export function diagramTexts(root: XmlElement): string[] {
  return root.descendants("dgm:pt").map((point) =>
    point.descendants("a:p").map((paragraph) => paragraph.descendants("a:t").map((run) => run.text).join(""))
      .join(" ")
      .trim()
  ).filter((text) => text !== "");
}
