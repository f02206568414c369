import { createHash } from "node:crypto";
import type { Logger } from "../../src/telemetry/mod.ts";
import { type UploadRequest, Uploads, type UploadsOptions } from "../../src/uploads/mod.ts";

export const CALLER = "caller-a";

/** A clock that stands until it is moved. */
export class Clock {
  ms = Date.UTC(2026, 0, 1);
  readonly now = () => this.ms;
}

/** Uploads in a temporary directory of their own, with the limits that a test wants. */
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
      await Uploads.open({ ...limits, directory: parent, now: clock.now, ...options }),
      clock,
      parent,
    );
  }

  start(request: Partial<UploadRequest> = {}, caller = CALLER) {
    return this.uploads.start(caller, {
      filename: "report.txt",
      totalSize: 10,
      tags: ["insurance"],
      collection: "documents",
      ...request,
    });
  }

  /** What the upload is made of, once it is accepted. */
  receive(uploadId: string, caller = CALLER): Promise<string> {
    return this.uploads.finish(caller, uploadId, async ({ open }) => await new Response(await open()).text());
  }

  /** Paths below the staging directory, sorted, but for the lock. */
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

/** All paths below a directory. */
export async function list(directory: string, prefix = ""): Promise<string[]> {
  const paths: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(directory)) {
    paths.push(prefix + name);
    if (isDirectory) paths.push(...await list(`${directory}/${name}`, `${prefix}${name}/`));
  }
  return paths.sort();
}

/** Base64 of text. */
export function base64(text: string): string {
  return new TextEncoder().encode(text).toBase64();
}

/** SHA-256 of text, hexadecimal. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** A body that arrives in the given parts; an Error among them breaks it off. */
export function body(...parts: (string | Error)[]): ReadableStream<Uint8Array> {
  const left = [...parts];
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const part = left.shift();
      if (part === undefined) controller.close();
      else if (part instanceof Error) controller.error(part);
      else controller.enqueue(new TextEncoder().encode(part));
    },
  }, { highWaterMark: 0 });
}

/** A body whose parts the test sends one at a time. */
export function openBody() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  return {
    readable,
    send: (text: string) => writer.write(new TextEncoder().encode(text)),
    close: () => writer.close(),
    /** Settles when the reader has given up; never rejects. */
    closed: writer.closed.then(() => {}, () => {}),
  };
}

/** Collects what is logged as `LEVEL event`. */
export function recorder(): Logger & { events: string[] } {
  const events: string[] = [];
  const at = (level: string) => (event: string) => void events.push(`${level} ${event}`);
  return { events, debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
