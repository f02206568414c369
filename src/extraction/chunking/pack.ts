import { type Block, scanBlocks } from "./blocks.ts";
import { type PackedRange, Packer, type PackLimits } from "./packer.ts";
import { nextBoundary, type Segment, splitText } from "./split.ts";
import { weightOf } from "./tokens.ts";
import type { ChunkSource, TextRange } from "./types.ts";

/**
 * Splits a section that is too heavy for one chunk: at blocks if no chunk stays less than half full,
 * otherwise at sentences, rows, lines, words or characters. Fences, lists and tables are kept whole if they fit.
 * Adjacent chunks overlap, except after a heading, a whole fence or a table.
 */
export function* packSection(
  source: ChunkSource,
  section: TextRange & { readonly weight: number },
  limits: PackLimits,
): Generator<PackedRange> {
  const { text } = source;
  const { maxWeight, overlapWeight } = limits;
  const { weight: total } = section;
  const count = Math.max(1, Math.ceil((total - overlapWeight) / (maxWeight - overlapWeight)));
  // Chunks are filled evenly: filling each to the maximum would leave a tiny last one.
  const evenWeight = (total + (count - 1) * overlapWeight) / count;
  const packer = new Packer(text, limits, Math.min(maxWeight, Math.ceil(evenWeight + maxWeight / 8)));

  for (const block of scanBlocks(source, section)) {
    const whole: Segment = { start: block.start, end: block.end, weight: weightOf(text, block) };
    const granularity = block.kind === "fence" || source.docType === "code" ? "line" : "sentence";
    if (packer.takesWhole(whole, block.kind)) yield* packer.add(whole, block.kind, granularity);
    else if (block.kind === "table") yield* packRows(text, block, { packer, maxWeight });
    else {
      const segments = splitText(text, block, { maxWeight: maxWeight - overlapWeight, granularity });
      for (const segment of segments) yield* packer.add(segment, "paragraph", granularity);
    }
    if (block.kind !== "paragraph" && block.kind !== "list") packer.forbidOverlapBefore(block.end);
  }
  yield* packer.finish();
}

/** Adds the rows of a table that is too heavy for one chunk, with its header rows at the start of each chunk. */
function* packRows(
  text: string,
  table: Block,
  { packer, maxWeight }: { packer: Packer; maxWeight: number },
): Generator<PackedRange> {
  const headerRange = { start: table.start, end: table.titleEnd };
  const header: Segment = { ...headerRange, weight: weightOf(text, headerRange) };
  const bodyStart = nextBoundary(text, { start: header.end, end: table.end }, "line");
  const repeated = { start: header.start, end: bodyStart, weight: header.weight + bodyStart - header.end };
  // A heavier header would leave too little of a chunk to the rows.
  const isRepeated = repeated.weight <= maxWeight / 3;
  let isHeaderAdded = false;
  for (
    const row of splitText(text, { start: header.end, end: table.end }, { maxWeight, granularity: "row" })
  ) {
    if (isHeaderAdded) yield* packer.add(row, "table", "line");
    else {
      // The header stays with the first row.
      const both = {
        start: header.start,
        end: row.end,
        weight: row.start - header.end + header.weight + row.weight,
      };
      if (both.weight <= maxWeight) yield* packer.add(both, "table", "sentence");
      else {
        for (const segment of splitText(text, header, { maxWeight, granularity: "row" })) {
          yield* packer.add(segment, "table", "sentence");
        }
        yield* packer.add(row, "table", "line");
      }
      packer.startRows(isRepeated ? repeated : undefined);
      isHeaderAdded = true;
    }
  }
  packer.endRows();
}
