/**
 * Returns the text to embed for a chunk: title, headings and text, without repetitions. Otherwise the vector
 * of a chunk from the middle of a long section would lack its topic.
 */
export function documentText(title: string, headings: readonly string[], text: string): string {
  const lines = new Set(text.split("\n").map(plainLine));
  const start = plainLine(text);
  const context: string[] = [];
  for (const part of [title, ...headings].map((each) => each.trim())) {
    // A title generated from a long first line is cut with an ellipsis.
    const isStart = start.startsWith(part.replace(/…$/, ""));
    if (part !== "" && !lines.has(part) && !isStart && !context.includes(part)) {
      context.push(part);
    }
  }
  return [...context, text].join("\n");
}

/** Removes the markup of a Markdown heading. */
function plainLine(line: string): string {
  return line.replace(/^\s*#{1,6}\s+/, "").trim();
}
