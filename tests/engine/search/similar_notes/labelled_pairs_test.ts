/**
 * Precision and recall of `POST /documents/similar` on `pairs.jsonl`: the first note of every pair is stored, the
 * second one is asked about. A result is right only if it is the first note of the same pair and the pair is
 * labelled similar, so that results of other pairs are wrong, too.
 *
 * The coefficients were chosen on the pairs with an even index. Those with an odd one are held out.
 */
import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { testWithModel } from "../../../support/real_model.ts";
import { EmbeddedEngine } from "../../../support/embedded_engine.ts";
import { until } from "../../sqlite/backfill/support.ts";

interface Pair {
  readonly kind: string;
  readonly domain: string;
  /** Whether both say nearly the same, or the second one updates or contradicts the first. */
  readonly similar: boolean;
  readonly stored: string;
  readonly added: string;
}

const pairs: Pair[] = (await Deno.readTextFile(new URL("./pairs.jsonl", import.meta.url)))
  .trimEnd().split("\n").map((line) => JSON.parse(line));

/** Counts of one half. */
interface Counts {
  right: number;
  wrong: number;
  missed: number;
  mistakes: string[];
}

async function measure(options: Parameters<typeof EmbeddedEngine.open>[0]): Promise<Counts[]> {
  await using engine = await EmbeddedEngine.open(options);
  const ids = await Promise.all(
    pairs.map(async ({ stored }) =>
      (await engine.ingest({ text: stored, tags: "collection:memory" })).document_id
    ),
  );
  await until(async () => {
    const { vectors } = (await engine.call("status")).body;
    return !vectors || vectors.embedded === vectors.total;
  }, "every note has a vector");
  const halves: Counts[] = [0, 1].map(() => ({ right: 0, wrong: 0, missed: 0, mistakes: [] }));
  for (const [index, { added, similar, stored }] of pairs.entries()) {
    const { body } = await engine.call("similarNotes", { body: { text: added, collection: "memory" } });
    const found = body.similar.map(({ document_id }: { document_id: number }) => document_id);
    const counts = halves[index % 2]!;
    const isFound = found.includes(ids[index]);
    if (similar) counts[isFound ? "right" : "missed"]++;
    counts.wrong += found.length - (similar && isFound ? 1 : 0);
    if (similar !== isFound || found.length > 1) counts.mistakes.push(`${stored} | ${added}`);
  }
  return halves;
}

function assertQuality(halves: Counts[], { minRecall }: { minRecall: number }): void {
  for (const [index, { right, wrong, missed, mistakes }] of halves.entries()) {
    const precision = right / (right + wrong);
    const recall = right / (right + missed);
    const figures = `half ${index}: precision ${precision.toFixed(2)}, recall ${recall.toFixed(2)}\n${
      mistakes.join("\n")
    }`;
    assert(precision >= 0.8, figures);
    assert(recall >= minRecall, figures);
  }
}

Deno.test("the labelled set has over 120 pairs of every kind and several domains, half of them similar", () => {
  const kinds = Object.groupBy(pairs, ({ kind }) => kind);
  assertEquals(
    Object.keys(kinds).toSorted().join(" "),
    "contradiction exact long meaning paraphrase template topic unrelated update",
  );
  assert(pairs.length >= 120);
  assert(new Set(pairs.map(({ domain }) => domain)).size >= 5);
  const share = pairs.filter(({ similar }) => similar).length / pairs.length;
  assert(share > 0.4 && share < 0.6, String(share));
});

Deno.test("similar notes by words: precision at least 0.8, recall at least 0.7, on both halves", async () => {
  assertQuality(await measure({}), { minRecall: 0.7 });
});

testWithModel(
  "similar notes by words and meaning: precision at least 0.8, recall at least 0.78, on both halves",
  async () => {
    const path = fileURLToPath(new URL("../../../../models/all-MiniLM-L6-v2.kbmodel", import.meta.url));
    const halves = await measure({
      embeddings: { type: "builtin", model: "builtin", isDefault: true, mayDownload: false },
      modelFiles: {
        name: "all-MiniLM-L6-v2",
        locate: () => Promise.resolve(path),
        download: () => Promise.reject(new Error("no network")),
      },
    });
    assertQuality(halves, { minRecall: 0.78 });
  },
);
