import { print } from "../../../scripts/print.ts";
import { median } from "../measure.ts";
import type { Figure, Row } from "./row.ts";

/** Figures of each run, by the name of the subject. */
export type SubjectFigures = Map<string, Figure[][]>;

/** Prints medians, and with several runs ranges, with a mark for each missed target. */
export function printRow({ id, title }: Row, subjects: SubjectFigures): void {
  print(`\n${id}: ${title}`);
  const [own = []] = [...subjects.values()];
  const names = [...new Set([...subjects.values()].flat(2).map(({ name }) => name))];
  for (const name of names) {
    const target = own.flat().find((figure) => figure.name === name)?.target;
    const cells = [...subjects].map(([subject, runs]) => {
      const found = runs.flat().filter((figure) => figure.name === name);
      const values = found.map(({ value }) => value);
      const text = values.length === 0 ? "–" : `${format(values)} ${found[0]!.unit}`.trim();
      return subjects.size > 1 ? `${subject} ${text}` : text;
    });
    const values = own.flat().filter((figure) => figure.name === name).map(({ value }) => value);
    const mark = !target || values.length === 0 ? "" : meets(median(values), target) ? "ok" : "MISSED";
    print(
      `  ${name.padEnd(46)} ${cells.map((cell) => cell.padEnd(26)).join(" ")} ${describe(target)} ${mark}`
        .trimEnd(),
    );
  }
}

/** Returns the rows of a Markdown table: figure, target, and a column for each subject. */
export function markdownRows({ title }: Row, subjects: SubjectFigures): string[] {
  const [own = []] = [...subjects.values()];
  const names = [...new Set(own.flat().map(({ name }) => name))];
  const lines = names.map((name) => {
    const cells = [...subjects.values()].map((runs) => {
      const found = runs.flat().filter((figure) => figure.name === name);
      return found.length === 0 ? "–" : `${format(found.map(({ value }) => value))} ${found[0]!.unit}`.trim();
    });
    const target = describe(own.flat().find((figure) => figure.name === name)?.target);
    return `| ${name} | ${[target, ...cells].join(" | ")} |`;
  });
  return [`| **${title}** | ${["", ...[...subjects].map(() => "")].join(" | ")} |`, ...lines];
}

/** Whether a value meets a target. */
export function meets(value: number, target: NonNullable<Figure["target"]>): boolean {
  return "atMost" in target ? value <= target.atMost : value >= target.atLeast;
}

function describe(target: Figure["target"]): string {
  if (!target) return "";
  return "atMost" in target ? `≤ ${target.atMost}` : `≥ ${target.atLeast}`;
}

function format(values: readonly number[]): string {
  const middle = significant(median(values));
  if (values.length === 1) return middle;
  return `${middle} (${significant(Math.min(...values))}–${significant(Math.max(...values))})`;
}

function significant(value: number): string {
  return Math.abs(value) >= 100
    ? value.toFixed(0)
    : Math.abs(value) >= 10
    ? value.toFixed(1)
    : value.toFixed(2);
}
