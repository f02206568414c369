/**
 * Returns the rows of a table of tbl, the lines between `.TS` and `.TE`.
 *
 * @param textOf Returns the text of a line, without macros and escapes.
 */
export function tableRows(lines: readonly string[], textOf: (line: string) => string): string[][] {
  let at = 0;
  let separator = "\t";
  if (/;\s*$/.test(lines[0]?.slice(-100) ?? "")) {
    separator = /tab\s{0,5}\(\s{0,5}(.)/i.exec(lines[0]!.slice(0, 500))?.[1] ?? separator;
    at++;
  }
  const rows: string[][] = [];
  at = formatEnd(lines, at);
  while (at < lines.length) {
    const line = lines[at++]!;
    if (/^\.T&/.test(line)) {
      at = formatEnd(lines, at);
      continue;
    }
    // Rules between rows, and requests.
    if (/^[_=]$/.test(line.trim()) || /^[.'](?:[ \\]|[a-zA-Z])/.test(line)) continue;
    const cells = line.split(separator);
    // Text that reaches over lines: from `T{` to `T}`, after which the row continues.
    while (cells.at(-1)!.trim() === "T{" && at < lines.length) {
      cells.pop();
      const text: string[] = [];
      while (at < lines.length && !/^T\}/.test(lines[at]!)) text.push(textOf(lines[at++]!));
      cells.push(text.join(" "));
      const rest = lines[at++]?.slice(2) ?? "";
      // One by one: a line may have more cells than a call may have arguments.
      if (rest.startsWith(separator)) {
        for (const cell of rest.slice(separator.length).split(separator)) cells.push(cell);
      }
    }
    rows.push(cells.map((cell) => /^(?:[_=]|\\_|\\\^)$/.test(cell.trim()) ? "" : textOf(cell)));
  }
  return rows;
}

/** Returns the index after the description of the columns, which a full stop ends. */
function formatEnd(lines: readonly string[], from: number): number {
  for (let at = from; at < Math.min(lines.length, from + 100); at++) {
    // Each of many descriptions without an end would search the others for it.
    if (lines[at]!.startsWith(".T&")) break;
    if (/\.\s*$/.test(lines[at]!.slice(-100))) return at + 1;
  }
  return from;
}
