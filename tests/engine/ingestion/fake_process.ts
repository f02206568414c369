/**
 * A process with the protocol of `kb-mcp extract-worker`, started as a program. The name of a file says what it
 * does; other files become documents whose title is the number of files so far.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { encodeFrame, frameHeader, readFrames } from "../../../src/extraction_process/frames.ts";
import type { ExtractionCommand } from "../../../src/extraction_process/mod.ts";

/** Returns the command line that starts this module. */
export function fakeCommand(...args: string[]): ExtractionCommand {
  return {
    program: Deno.execPath(),
    args: [
      "run",
      "--quiet",
      "--no-config",
      "--no-lock",
      "--v8-flags=--max-old-space-size=64",
      fileURLToPath(import.meta.url),
      ...args,
    ],
    env: { HOME: Deno.env.get("HOME") ?? "" },
  };
}

const CHUNK = { text: "x", headingPath: [], charStart: 0, charEnd: 1, lineStart: 1, lineEnd: 1 };

const PROGRESS = { type: "progress", stage: "extracting", unit: "pages", done: 1, total: 2 };

async function send(message: unknown): Promise<void> {
  await Deno.stdout.write(encodeFrame(message));
}

/** Sends a contained file in two frames. */
async function sendFile(path: string, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  await send({ type: "file", path, sizeBytes: bytes.length });
  for (const part of [bytes.subarray(0, 3), bytes.subarray(3)]) {
    await Deno.stdout.write(frameHeader(part.length));
    await Deno.stdout.write(part);
  }
}

/** Sends an archive with as many bytes as the files of all may have while they wait. */
async function sendBomb(): Promise<void> {
  for (const path of ["a", "b", "c", "d"]) await sendFile(path, path.repeat(1000));
  await send({ type: "unpacked", rssBytes: 1 });
}

/** Actions by file name. */
const ACTIONS: Readonly<Record<string, () => unknown>> = {
  hang() {
    for (;;);
  },
  exit: () => Deno.exit(3),
  kill: () => Deno.kill(Deno.pid, "SIGKILL"),
  throw() {
    throw new Error("segmentation");
  },
  "exhaust small"() {
    if (!Deno.args.includes("large")) return Deno.kill(Deno.pid, "SIGKILL");
    return send({ type: "document", document: { docType: "text", tags: [] }, rssBytes: 1 });
  },
  exhaust() {
    for (const all = [];;) all.push(new Array(10_000).fill(Math.random()));
  },
  damaged: () => send({ type: "error", code: "damaged", message: "It is damaged", rssBytes: 1 }),
  "unknown message": () => send({ type: "shell" }),
  "wrong fields": () => send({ type: "document", document: { docType: "exe", tags: [] }, rssBytes: 1 }),
  "not JSON": () => Deno.stdout.write(new Uint8Array([0, 0, 0, 2, 0x7b, 0x7b])),
  "long frame": () => Deno.stdout.write(new Uint8Array([255, 255, 255, 255, 0])),
  async archive() {
    await sendFile("../a.txt", "text of a");
    await sendFile("a.txt", "text of b");
    await send({
      type: "file",
      path: "c",
      sizeBytes: 0,
      error: { code: "damaged", message: "It is damaged" },
    });
    await send({ type: "unpacked", rssBytes: 1 });
  },
  "first bomb": sendBomb,
  "second bomb": sendBomb,
  async "damaged archive"() {
    await sendFile("a.txt", "text of a");
    await send({ type: "error", code: "damaged", message: "It is damaged", rssBytes: 1 });
  },
  "large contained file": () => send({ type: "file", path: "a", sizeBytes: 1001 }),
  async "wrong contained size"() {
    await send({ type: "file", path: "a", sizeBytes: 1 });
    await send({ type: "unpacked", rssBytes: 1 });
  },
  async "much progress"() {
    for (let done = 0; done < 1000; done++) await send({ ...PROGRESS, done, total: 1000 });
    await send({ type: "document", document: { docType: "text", tags: [] }, rssBytes: 1 });
  },
  async "long result"() {
    await send({ type: "start" });
    const chunks = Array.from({ length: 30 }, () => ({ ...CHUNK, text: "x".repeat(100_000) }));
    while (true) await send({ type: "chunks", chunks });
  },
};

async function serve(): Promise<void> {
  await send({ type: "ready" });
  let count = 0;
  const frames = readFrames(Deno.stdin.readable, { maxPayloadBytes: 2 ** 20 });
  while (true) {
    const { value: header, done } = await frames.next();
    if (done) return;
    const { filename } = JSON.parse(new TextDecoder().decode(header));
    const { value: bytes } = await frames.next();
    count++;
    const action = ACTIONS[filename];
    if (action) {
      await action();
      continue;
    }
    await send(PROGRESS);
    await send({ type: "start", title: String(count) });
    await send({ type: "chunks", chunks: [{ ...CHUNK, text: new TextDecoder().decode(bytes) }] });
    const rssBytes = filename === "big" ? 2 ** 40 : 1;
    await send({ type: "document", document: { docType: "text", title: String(count), tags: [] }, rssBytes });
  }
}

if (import.meta.main) await serve();
