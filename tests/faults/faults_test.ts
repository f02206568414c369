// deno-lint-ignore-file no-console -- says why it is skipped
import { assert, assertEquals } from "@std/assert";
import { runInjection, withFaultLibrary } from "./run.ts";

/** A sample of `deno task faults`. */
for (
  const [operation, mode] of [
    ["ingest a file", "one failed sync"],
    ["update a note", "one failed sync"],
    ["change tags", "lasting I/O errors"],
  ] as const
) {
  Deno.test(`acknowledged data survives: ${operation}, ${mode}`, async () => {
    const skipped = await withFaultLibrary(async (library) => {
      const { faults, problems } = await runInjection(library, { operation, mode, growth: 2 });
      assertEquals(problems, []);
      assert(faults > 0);
    });
    if (skipped !== undefined) console.log(`skipped: ${skipped}`);
  });
}
