import { assert, assertEquals } from "@std/assert";
import { EngineClient } from "../../src/client/mod.ts";
import { NewSource } from "../../src/contract/mod.ts";
import { Engine } from "../../src/engine/mod.ts";
import { engineOptions } from "../support/engine_options.ts";
import { seededRandom } from "../support/random.ts";
import { checkExactness } from "./sync_exactness.ts";

Deno.test("documents equal a folder after random changes and interrupted synchronizations", async () => {
  const dataDir = await Deno.makeTempDir();
  try {
    const { kills, comparisons, differences } = await checkExactness({
      operations: 40,
      burst: 8,
      maxKillMs: 20,
      random: seededRandom(4),
      async start(folder) {
        const sources = [NewSource.parse({ name: "docs", path: folder })];
        const engine = await Engine.open({ ...engineOptions(dataDir), sources });
        const client = new EngineClient({
          baseUrl: "http://engine",
          fetch: (request) => engine.fetch(request),
        });
        return { client, kill: () => engine.close() };
      },
    });
    assertEquals(differences, []);
    assert(kills > 0 && comparisons > 0);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});
