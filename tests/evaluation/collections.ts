import { assert } from "@std/assert";
import { evaluate, readTestCollection } from "../../src/evaluation/mod.ts";
import { openHarness } from "../support/harness.ts";
import { testWithData } from "../support/test_data.ts";

/** nDCG@10 of a tuned Lucene-style BM25 with stemming and stop words, rounded down. */
const BM25_NDCG = { cisi: 0.38, cacm: 0.475 };

for (const [name, minNdcg] of Object.entries(BM25_NDCG)) {
  testWithData(`full-text search reaches an nDCG@10 of ${minNdcg} on ${name}`, async (folder) => {
    const set = await readTestCollection(`${folder}/ir/${name}`);
    await using harness = await openHarness({ placement: "embedded" });
    const [evaluation] = await evaluate(set, { client: harness.engine, modes: ["fts"] });
    const { scores } = evaluation!;
    assert(scores["ndcg@10"] >= minNdcg, JSON.stringify(scores));
  });
}
