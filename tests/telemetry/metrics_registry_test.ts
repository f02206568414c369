import { assert, assertEquals } from "@std/assert";
import { MetricsRegistry } from "../../src/telemetry/mod.ts";
import { addProcessMetrics } from "../../src/telemetry/process_metrics.ts";
import { parseMetrics, valueOf } from "../support/prometheus.ts";

Deno.test("metrics are exposed in the text format, with escaped labels", async () => {
  const metrics = new MetricsRegistry();
  const read = metrics.counter("read_total", { help: "Lines\nand \\ slashes.", labels: ["name"] });
  read.add({ name: 'a"b\\c\nd' }, 2);
  metrics.observed("open", { type: "gauge", help: "Open.", read: () => [[{ kind: "file" }, 1.5]] });
  metrics.observed("unknown", { type: "gauge", help: "Not known now.", read: () => undefined });
  metrics.counter("none_total", { help: "Without labels it starts at 0." });
  const text = await metrics.expose();
  assertEquals(
    text,
    String.raw`# HELP read_total Lines\nand \\ slashes.
# TYPE read_total counter
read_total{name="a\"b\\c\nd"} 2
# HELP open Open.
# TYPE open gauge
open{kind="file"} 1.5
# HELP unknown Not known now.
# TYPE unknown gauge
# HELP none_total Without labels it starts at 0.
# TYPE none_total counter
none_total 0
`,
  );
  assertEquals(valueOf(parseMetrics(text), "read_total", { name: 'a"b\\c\nd' }), 2);
});

Deno.test("a histogram counts each measurement in every bucket that holds it", async () => {
  const metrics = new MetricsRegistry();
  const durations = metrics.histogram("wait_seconds", { help: "Wait.", labels: ["tool"], buckets: [0.1, 1] });
  for (const value of [0.05, 0.1, 0.5, 7]) durations.observe(value, { tool: "a" });
  durations.observe(1, { tool: "b" });
  const parsed = parseMetrics(await metrics.expose());
  const a = ["0.1", "1", "+Inf"].map((le) => valueOf(parsed, "wait_seconds_bucket", { tool: "a", le }));
  assertEquals(a, [2, 3, 4]);
  assertEquals(valueOf(parsed, "wait_seconds_count", { tool: "b" }), 1);
  assertEquals(valueOf(parsed, "wait_seconds_sum", { tool: "a" }), 7.65);
});

Deno.test("the number of series is bounded: further ones count as other", async () => {
  const metrics = new MetricsRegistry();
  const calls = metrics.counter("calls_total", { help: "Calls.", labels: ["tool"] });
  for (let i = 0; i < 5000; i++) calls.add({ tool: `t${i}` });
  const parsed = parseMetrics(await metrics.expose());
  assertEquals(parsed.get("calls_total")?.samples.length, 501);
  assertEquals(valueOf(parsed, "calls_total", { tool: "other" }), 4500);
});

Deno.test("two servers of a process share a counter, and a sink receives every measurement", () => {
  const metrics = new MetricsRegistry();
  const options = { help: "Requests.", labels: ["server"] };
  const counter = metrics.counter("requests_total", options);
  assert(counter === metrics.counter("requests_total", options));
  const received: unknown[] = [];
  metrics.sink = {
    add: ({ name }, amount, labels) => received.push([name, amount, labels]),
    record: ({ name }, value, labels) => received.push([name, value, labels]),
  };
  counter.add({ server: "mcp" });
  metrics.histogram("wait_seconds", { help: "Wait.", buckets: [1] }).observe(0.5);
  assertEquals(received, [["requests_total", 1, { server: "mcp" }], ["wait_seconds", 0.5, {}]]);
});

Deno.test("the process reports its version, memory and time", async () => {
  const metrics = new MetricsRegistry();
  addProcessMetrics(metrics, "1.2.3");
  const parsed = parseMetrics(await metrics.expose());
  assertEquals(valueOf(parsed, "kb_build_info", { version: "1.2.3", deno: Deno.version.deno }), 1);
  assert(valueOf(parsed, "process_resident_memory_bytes")! > 2 ** 20);
  assert(valueOf(parsed, "process_cpu_seconds_total")! > 0);
});
