import { assertEquals, assertRejects } from "@std/assert";
import { download } from "../../src/models/download.ts";
import { ModelError } from "../../src/models/mod.ts";

Deno.test("a download fails when no data arrives in time", async () => {
  const directory = await Deno.makeTempDir();
  const stalled: typeof fetch = (_, init) => {
    const body = new ReadableStream({
      start: (controller) =>
        init?.signal?.addEventListener("abort", () => controller.error(init.signal?.reason)),
    });
    return Promise.resolve(new Response(body));
  };
  const options = { sha256: "", maxBytes: 10, fetch: stalled, idleTimeoutMs: 1 };
  const error = await assertRejects(
    () => download("http://127.0.0.1/x", `${directory}/x`, options),
    ModelError,
    "Cannot download http://127.0.0.1/x: no data within 1 ms",
  );
  assertEquals(error.code, "unreachable");
  await Deno.remove(directory, { recursive: true });
});
