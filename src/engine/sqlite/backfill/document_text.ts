/**
 * The text that a chunk's vector is made of: title, headings and text, each once. A chunk from the middle of a long section
 * would otherwise not say what it is about.
 */
export function documentText(title: string, headings: readonly string[], text: string): string {
  const lines = new Set(text.split("\n").map(plainLine));
  const start = plainLine(text);
  const before: string[] = [];
  for (const part of [title, ...headings].map((each) => each.trim())) {
    if (part !== "" && !lines.has(part) && !start.startsWith(part) && !before.includes(part)) {
      before.push(part);
    }
  }
  return [...before, text].join("\n");
}

/** A line without the marks of a Markdown heading. */
function plainLine(line: string): string {
  return line.replace(/^\s*#{1,6}\s+/, "").trim();
}
