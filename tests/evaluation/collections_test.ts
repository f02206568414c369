import { assert } from "@std/assert";
import { evaluate, readSet } from "../../src/evaluation/mod.ts";
import { openHarness } from "../support/harness.ts";

const FOLDER = new URL("../../../shared/data/ir/", import.meta.url);

/** What a tuned Lucene-style BM25 with stemming and stop words reaches, less what is lost in rounding. */
const LEAST = { cisi: 0.38, cacm: 0.475 };

for (const [name, least] of Object.entries(LEAST)) {
  const folder = new URL(`${name}/`, FOLDER);
  try {
    Deno.statSync(folder);
  } catch {
    // deno-lint-ignore no-console -- a skipped test says so
    console.log(
      `Skipping the measurement of ${name}: there is no ../shared/data/ir/${name} beside the repository`,
    );
    continue;
  }
  Deno.test(`search by words alone reaches an nDCG@10 of ${least} on ${name}`, async () => {
    const set = await readSet(folder.pathname);
    await using harness = await openHarness({ placement: "embedded" });
    const { scores } = await evaluate(set, { client: harness.engine });
    assert(scores["ndcg@10"] >= least, JSON.stringify(scores));
  });
}
