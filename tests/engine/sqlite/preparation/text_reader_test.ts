import { assertEquals } from "@std/assert";
import type { ThreadError, ThreadPort } from "../../../../src/async/mod.ts";
import type { FromThread, ToThread } from "../../../../src/async/thread_protocol.ts";
import { spawnTextReader } from "../../../../src/engine/worker.ts";
import { TextReader } from "../../../../src/engine/sqlite/preparation/mod.ts";

const CHUNK = { maxTokens: 64, overlapTokens: 8 };
const file = { bytes: new TextEncoder().encode("# Tea\n\nGreen."), filename: "a.md", chunk: CHUNK };

Deno.test("a thread reads text files until the reader is disposed", async () => {
  const failures: unknown[] = [];
  await using reader = new TextReader({ spawn: spawnTextReader, onFailure: (error) => failures.push(error) });
  const documents = await Promise.all([reader.read(file), reader.read({ ...file, filename: "a.pdf" })]);
  assertEquals(documents.map((document) => document?.title), ["Tea", undefined]);
  await reader[Symbol.asyncDispose]();
  assertEquals([await reader.read(file), failures], [undefined, []]);
});

Deno.test("after a failure of the thread no file is read by it", async () => {
  const failures: unknown[] = [];
  let spawned = 0;
  const spawn = () => {
    spawned++;
    throw new Error("no memory");
  };
  await using reader = new TextReader({ spawn, onFailure: (error) => failures.push(error) });
  assertEquals([await reader.read(file), await reader.read(file)], [undefined, undefined]);
  assertEquals([failures.length, spawned], [1, 1]);
});

Deno.test("a file that the thread fails to read does not keep others from it", async () => {
  const failures: unknown[] = [];
  await using reader = new TextReader({ spawn: spawnTextReader, onFailure: (error) => failures.push(error) });
  const broken = { ...file, chunk: undefined as unknown as typeof CHUNK };
  const documents = [await reader.read(broken), await reader.read(file)];
  assertEquals([documents.map((document) => document?.title), failures], [[undefined, "Tea"], []]);
});

Deno.test("no file is read after one that the thread does not respond to", async () => {
  const failure = Promise.withResolvers<unknown>();
  let requests = 0;
  const spawn = (): ThreadPort => {
    let receive = (_message: unknown) => {};
    const respond = (message: FromThread) => queueMicrotask(() => receive(message));
    return {
      post(message) {
        if ((message as ToThread).type === "open") respond({ type: "opened" });
        else requests++;
      },
      onMessage(listener) {
        receive = listener;
        respond({ type: "ready" });
      },
      onEnd() {},
      terminate: () => Promise.resolve(),
    };
  };
  await using reader = new TextReader({ spawn, onFailure: failure.resolve, timeoutMs: 1 });
  assertEquals(await reader.read(file), undefined);
  const { code } = await failure.promise as ThreadError;
  assertEquals([code, await reader.read(file), requests], ["timeout", undefined, 1]);
});
