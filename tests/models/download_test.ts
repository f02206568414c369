import { assertEquals, assertRejects } from "@std/assert";
import { download } from "../../src/models/download.ts";
import { ModelError } from "../../src/models/mod.ts";
import { startOrigin } from "./origin.ts";

Deno.test("a download fails when no data arrives in time", async () => {
  await using origin = startOrigin(() => new Response(new ReadableStream()));
  const directory = await Deno.makeTempDir();
  try {
    const url = `${origin.url}model`;
    const error = await assertRejects(
      () => download(url, `${directory}/x`, { sha256: "", maxBytes: 10, idleTimeoutMs: 50 }),
      ModelError,
      `Cannot download ${url}: no data within 50 ms`,
    );
    assertEquals(error.code, "unreachable");
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
