import { createHash } from "node:crypto";
import type { Logger } from "../../src/telemetry/mod.ts";
import { type UploadDeclaration, Uploads, type UploadsOptions } from "../../src/uploads/mod.ts";

export const CALLER = "caller-a";

/** A clock that tests move by hand. */
export class Clock {
  ms = Date.UTC(2026, 0, 1);
  /** Difference of the system clock, which can be set, to the monotonic one. */
  shiftMs = 0;
  readonly now = () => this.ms;
  readonly wallClock = () => this.ms + this.shiftMs;
}

/** Uploads in their own temporary directory, with small limits that a test may override. */
export class Fixture implements AsyncDisposable {
  readonly uploads: Uploads;
  readonly clock: Clock;
  /** Parent of the staging directory. */
  readonly parent: string;

  private constructor(uploads: Uploads, clock: Clock, parent: string) {
    [this.uploads, this.clock, this.parent] = [uploads, clock, parent];
  }

  static async open(options: Partial<UploadsOptions> = {}): Promise<Fixture> {
    const parent = await Deno.makeTempDir();
    const clock = new Clock();
    const limits = { maxBytes: 1000, maxPerCaller: 3, maxStagedBytes: 2000, idleMs: 600_000 };
    return new Fixture(
      await Uploads.open({
        ...limits,
        directory: parent,
        now: clock.now,
        wallClock: clock.wallClock,
        ...options,
      }),
      clock,
      parent,
    );
  }

  start(request: Partial<UploadDeclaration> = {}, caller = CALLER) {
    return this.uploads.start(caller, {
      filename: "report.txt",
      totalSize: 10,
      tags: ["insurance"],
      collection: "documents",
      ...request,
    });
  }

  /** Finishes an upload and returns its text. */
  receive(uploadId: string, caller = CALLER): Promise<string> {
    return this.uploads.finish(caller, uploadId, async ({ open }) => await new Response(await open()).text());
  }

  /** Sorted paths in the staging directory, without the lock file. */
  async staged(): Promise<string[]> {
    return (await list(this.parent)).map((path) => path.split("/").slice(1).join("/")).filter((path) =>
      path !== "" && path !== "lock"
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.uploads[Symbol.asyncDispose]();
    await Deno.remove(this.parent, { recursive: true });
  }
}

/** Lists all paths in a directory, recursively. */
export async function list(directory: string, prefix = ""): Promise<string[]> {
  const paths: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(directory)) {
    paths.push(prefix + name);
    if (isDirectory) paths.push(...await list(`${directory}/${name}`, `${prefix}${name}/`));
  }
  return paths.sort();
}

/** Encodes text as base64. */
export function base64(text: string): string {
  return new TextEncoder().encode(text).toBase64();
}

/** Returns the SHA-256 of text in hexadecimal. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Returns a body that arrives in the given chunks; an Error among them breaks it off. */
export function body(...chunks: (string | Error)[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  const remaining = [...chunks];
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const chunk = remaining.shift();
      if (chunk === undefined) controller.close();
      else if (chunk instanceof Error) controller.error(chunk);
      else controller.enqueue(new TextEncoder().encode(chunk));
    },
  }, { highWaterMark: 0 });
}

/** Returns a body whose chunks the test sends one by one. */
export function openBody() {
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
  const writer = writable.getWriter();
  return {
    readable,
    send: (text: string) => writer.write(new TextEncoder().encode(text)),
    close: () => writer.close(),
    /** Resolves when the stream was closed or cancelled. */
    closed: writer.closed.then(() => {}, () => {}),
  };
}

/** Returns a logger that collects events as `LEVEL event`. */
export function recorder(): Logger & { events: string[] } {
  const events: string[] = [];
  const at = (level: string) => (event: string) => void events.push(`${level} ${event}`);
  return { events, debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** Returns the path of the fixture's staging directory. */
export async function stagingDirectory(parent: string): Promise<string> {
  const [first] = await Array.fromAsync(Deno.readDir(parent));
  return `${parent}/${first!.name}`;
}
