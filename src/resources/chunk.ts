import type { Chunk } from "../contract/mod.ts";
import { visibleText } from "../text/mod.ts";
import { chunkUri } from "../tools/mod.ts";
import { type ReadContext, ResourceNotFoundError } from "./define.ts";
import { documentNotFound, findDocument } from "./document.ts";
import { documentLink, inline, link } from "./markdown.ts";

/** Returns one chunk as Markdown: its position, its text and links to its neighbours. */
export async function readChunk(
  uri: string,
  id: string,
  index: number,
  context: ReadContext,
): Promise<string> {
  const document = await findDocument(id, { offset: index, limit: 1 }, context);
  if (!document) throw documentNotFound(uri, id);
  const { chunks: [chunk] = [], chunks_total: total = 0 } = document;
  if (!chunk) {
    throw new ResourceNotFoundError(
      uri,
      total === 0
        ? "That document has no chunks."
        : `There is no chunk ${index}: that document has ${total}, from 0 to ${total - 1}.`,
    );
  }
  const neighbour = (label: string, n: number) =>
    link(`${label}: chunk ${n}`, chunkUri(document.document_id, n));
  const links = [
    ...(index > 0 ? [neighbour("Previous", index - 1)] : []),
    ...(index + 1 < total ? [neighbour("Next", index + 1)] : []),
  ];
  return [
    [documentLink(document), `chunk ${index} of ${total} (counted from 0)`, ...position(chunk)].join(" · "),
    "---",
    visibleText(chunk.text),
    ...(links.length > 0 ? ["---", links.join(" · ")] : []),
  ].join("\n\n") + "\n";
}

/** Headings, pages and lines of a chunk, as far as they are known. */
function position({ heading_path = [], page_start, page_end, line_start, line_end }: Chunk): string[] {
  return [
    ...(heading_path.length > 0 ? [heading_path.slice(0, 10).map(inline).join(" › ")] : []),
    ...range("page", page_start, page_end),
    ...range("line", line_start, line_end),
  ];
}

function range(unit: string, start: number | null | undefined, end: number | null | undefined): string[] {
  if (typeof start !== "number") return [];
  return [typeof end === "number" && end !== start ? `${unit}s ${start}–${end}` : `${unit} ${start}`];
}
