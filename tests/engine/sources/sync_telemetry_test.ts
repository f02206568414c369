import { assert, assertEquals } from "@std/assert";
import { createLogger } from "../../../src/telemetry/mod.ts";
import { EmbeddedEngine } from "../../support/embedded_engine.ts";
import { parseMetrics, valueOf } from "../../support/prometheus.ts";
import { temporaryFolder } from "../../support/temporary_folder.ts";

Deno.test("a synchronization belongs to the request that caused it, and later changes to none", async () => {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger("info", { format: "json", write: (line) => lines.push(JSON.parse(line)) });
  let onCreated: () => void = () => {};
  const nextCreation = () => new Promise<void>((resolve) => onCreated = resolve);
  await using folder = await temporaryFolder({ "a.md": "# A\n\nFirst text.\n" });
  await using engine = await EmbeddedEngine.open({
    log,
    onSync: (_, { created }) => {
      if (created > 0) onCreated();
    },
  });
  const first = nextCreation();
  const body = { name: "docs", path: folder.path, watch: true };
  await engine.call("addSource", { body, headers: { "x-request-id": "ignored without a connection" } });
  await first;
  const second = nextCreation();
  await folder.write("b.md", "# B\n\nSecond text.\n");
  await second;

  const ids = lines.filter(({ event }) => event === "synchronized source").map((line) => line["request_id"]);
  assertEquals(ids.length, 2);
  assert(typeof ids[0] === "string", "the first one is part of the request that has added the source");
  assertEquals(ids[1], undefined);
  const metrics = parseMetrics((await engine.fetch("GET", "/metrics")).body);
  const source = "docs";
  assertEquals(valueOf(metrics, "kb_engine_source_files_total", { source, change: "created" }), 2);
  assert(valueOf(metrics, "kb_engine_source_syncs_total", { source, outcome: "ok" })! >= 2);
  assert(valueOf(metrics, "kb_engine_source_last_sync_timestamp_seconds", { source })! > 1.7e9);
});
