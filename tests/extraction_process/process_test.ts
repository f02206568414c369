import { assertEquals, assertRejects } from "@std/assert";
import { ExtractionProcess, ProcessExitError } from "../../src/extraction_process/mod.ts";
import { fakeCommand } from "../engine/ingestion/fake_process.ts";

const CHUNK = { maxTokens: 100, overlapTokens: 0 };

async function* bytes(count: number): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(count);
}

Deno.test("ExtractionProcess: a result over the limit ends the process", async () => {
  await using process = new ExtractionProcess(fakeCommand(), { maxResultBytes: 5_000_000 });
  await process.start();
  const content = { bytes: bytes(1), sizeBytes: 1 };
  await assertRejects(
    () => process.extract({ filename: "long result", chunk: CHUNK }, content),
    ProcessExitError,
    "broke the protocol",
  );
  assertEquals(process.hasEnded, true);
});

for (const sizeBytes of [9, 11]) {
  Deno.test(`ExtractionProcess: a file of 10 bytes announced with ${sizeBytes} ends the process`, async () => {
    await using process = new ExtractionProcess(fakeCommand());
    await process.start();
    const content = { bytes: bytes(10), sizeBytes };
    await assertRejects(() => process.extract({ chunk: CHUNK }, content), ProcessExitError);
    assertEquals(process.hasEnded, true);
  });
}
