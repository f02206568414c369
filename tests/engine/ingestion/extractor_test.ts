import { assert, assertEquals, assertInstanceOf, assertRejects } from "@std/assert";
import {
  type ExtractOptions,
  Extractor,
  type ExtractorOptions,
} from "../../../src/engine/ingestion/extractor.ts";
import { ExtractionError } from "../../../src/extraction/errors.ts";
import type { ExtractionCommand, FileProgress } from "../../../src/extraction_process/mod.ts";
import { createLogger } from "../../../src/telemetry/mod.ts";
import { fakeCommand } from "./fake_process.ts";

const CHUNK = { maxTokens: 100, overlapTokens: 0 };

/** An extractor over the fake process, and a spooled file. */
class Fixture implements AsyncDisposable {
  readonly logged: string[] = [];
  readonly extractor: Extractor;
  readonly #path: string;
  #title = 0;

  private constructor(path: string, options: Partial<ExtractorOptions>) {
    this.#path = path;
    const log = createLogger("debug", { write: (line) => this.logged.push(line) });
    this.extractor = new Extractor({ command: fakeCommand(), timeoutMs: 60_000, log, ...options });
  }

  static async open(options: Partial<ExtractorOptions> = {}): Promise<Fixture> {
    const path = await Deno.makeTempFile();
    await Deno.writeTextFile(path, "some text");
    return new Fixture(path, options);
  }

  async run(filename: string, options?: ExtractOptions) {
    const task = { path: this.#path, filename, contentType: undefined, chunk: CHUNK };
    const extracted = await this.extractor.run(task, options);
    assert(extracted);
    return extracted;
  }

  /** Extracts a valid file. Returns whether a new process did it. */
  async startsProcess(): Promise<boolean> {
    const title = Number((await this.run("next")).title);
    const isNew = title !== this.#title + 1 || title === 1;
    this.#title = title;
    return isNew;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.extractor[Symbol.asyncDispose]();
    await Deno.remove(this.#path);
  }
}

Deno.test("Extractor: files share a process, which gets their bytes", async () => {
  await using fixture = await Fixture.open();
  const reports: FileProgress[] = [];
  const first = await fixture.run("a", { onProgress: (progress) => reports.push(progress) });
  const second = await fixture.run("b");
  assertEquals([first.title, second.title], ["1", "2"]);
  assertEquals(first.chunks.map(({ text }) => text), ["some text"]);
  assertEquals(reports, [{ stage: "extracting", unit: "pages", done: 1, total: 2 }]);
});

Deno.test("Extractor: an extraction error keeps its code, its message and the process", async () => {
  await using fixture = await Fixture.open();
  const error = await assertRejects(() => fixture.run("damaged"), ExtractionError, "It is damaged");
  assertEquals(error.code, "damaged");
  assertEquals((await fixture.run("next")).title, "2");
});

for (
  const how of ["exit", "throw", "unknown message", "wrong fields", "not JSON", "long frame"]
) {
  Deno.test(`Extractor: a process that fails (${how}) fails only its file`, async () => {
    await using fixture = await Fixture.open();
    const error = await assertRejects(() => fixture.run(how), ExtractionError, "crashed");
    assertEquals(error.code, "internal");
    assert(await fixture.startsProcess());
  });
}

for (const how of ["kill", "exhaust"]) {
  Deno.test(`Extractor: a process that exceeds its memory (${how}) fails its file as too large`, async () => {
    await using fixture = await Fixture.open();
    const error = await assertRejects(() => fixture.run(how), ExtractionError, "too much memory");
    assertEquals(error.code, "too_large");
    assert(await fixture.startsProcess());
  });
}

Deno.test("Extractor: a timeout kills the process and fails the file", async () => {
  await using fixture = await Fixture.open({ timeoutMs: 300 });
  const error = await assertRejects(() => fixture.run("hang"), ExtractionError, "longer than 0.3 s");
  assertEquals(error.code, "timeout");
  assert(await fixture.startsProcess());
});

Deno.test("Extractor: what the process prints is logged at debug level", async () => {
  await using fixture = await Fixture.open();
  await assertRejects(() => fixture.run("throw"), ExtractionError);
  assertEquals(fixture.logged.length, 1);
  assert(/ DEBUG .*segmentation/.test(fixture.logged[0]!), fixture.logged[0]);
});

Deno.test("Extractor: a process that keeps much memory is replaced", async () => {
  await using fixture = await Fixture.open();
  await fixture.run("big");
  assert(await fixture.startsProcess());
});

Deno.test("Extractor: an idle process is killed", async () => {
  await using fixture = await Fixture.open({ idleMs: 0 });
  await fixture.run("a");
  await new Promise((resolve) => setTimeout(resolve));
  assert(await fixture.startsProcess());
});

Deno.test("Extractor: a file that no parser needs to read is refused without a process", async () => {
  const missing: ExtractionCommand = { program: "/nonexistent/kb-mcp", args: [], env: {} };
  await using fixture = await Fixture.open({ command: missing });
  const path = await Deno.makeTempFile();
  await Deno.truncate(path, 200 * 2 ** 20);
  const run = (filename: string) =>
    fixture.extractor.run({ path, filename, contentType: undefined, chunk: CHUNK });
  assertEquals((await assertRejects(() => run("zeros"), ExtractionError)).code, "unsupported_type");
  using file = await Deno.open(path, { write: true });
  await file.write(new TextEncoder().encode("text ".repeat(20_000)));
  assertEquals((await assertRejects(() => run("a.txt"), ExtractionError)).code, "too_large");
  await Deno.remove(path);
});

Deno.test("Extractor: a program that cannot be started fails the file", async () => {
  await using fixture = await Fixture.open({
    command: { program: "/nonexistent/kb-mcp", args: [], env: {} },
  });
  const error = await assertRejects(() => fixture.run("a"), ExtractionError, "did not start");
  assertEquals(error.code, "internal");
});

Deno.test("Extractor: a file waits while the system has too few descriptors for a process", async () => {
  const { program, ...command } = fakeCommand();
  let attempts = 0;
  const scarce: ExtractionCommand = {
    ...command,
    get program() {
      if (++attempts < 2) {
        throw Object.assign(new Error("Too many open files (os error 24)"), { code: "EMFILE" });
      }
      return program;
    },
  };
  await using fixture = await Fixture.open({ command: scarce });
  assertEquals((await fixture.run("a")).title, "1");
  assertEquals(attempts, 2);

  attempts = 0;
  await using impatient = await Fixture.open({ command: scarce, startTimeoutMs: 0 });
  await assertRejects(() => impatient.run("a"), ExtractionError, "did not start");
});

Deno.test("Extractor: a process that ends at its start fails the file", async () => {
  const command = { ...fakeCommand(), args: ["eval", "console.error('no memory'); Deno.exit(1)"] };
  await using fixture = await Fixture.open({ command });
  const error = await assertRejects(() => fixture.run("a"), ExtractionError, "did not start");
  assertInstanceOf(error.cause, Error);
  assert(error.cause.message.includes("no memory"));
});

Deno.test("Extractor: disposal aborts the file in progress", async () => {
  await using fixture = await Fixture.open();
  await fixture.run("a");
  const running = fixture.run("hang");
  const error = await assertRejects(() => {
    fixture.extractor[Symbol.asyncDispose]();
    return running;
  });
  assertInstanceOf(error, DOMException);
  assertEquals(error.name, "AbortError");
  assertInstanceOf(await assertRejects(() => fixture.run("late")), DOMException);
});

Deno.test("Extractor: a signal ends the file in progress, and the next one gets another process", async () => {
  await using fixture = await Fixture.open();
  await fixture.run("a");
  const controller = new AbortController();
  const running = fixture.run("hang", { signal: controller.signal });
  controller.abort(new Error("cancelled"));
  await assertRejects(() => running, Error, "cancelled");
  assert(await fixture.startsProcess());
});
