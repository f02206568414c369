import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { EngineClient, EngineError, type NewFile } from "../../src/client/mod.ts";
import { CLOSED_URL } from "../support/ports.ts";
import { head, httpServer, rawServer } from "./servers.ts";

const ACCEPTED = { job_id: 1, status: "queued" };

/** A file that records how it is read. */
function file(chunks: Iterable<Uint8Array>, more: Partial<NewFile> = {}) {
  const seen = { opened: 0, pulled: 0, cancelled: false };
  const iterator = chunks[Symbol.iterator]();
  const source: NewFile = {
    filename: "a.bin",
    size: 0,
    tags: [],
    open: () => {
      seen.opened++;
      return new ReadableStream({
        pull(controller) {
          const { done, value } = iterator.next();
          if (done) return controller.close();
          seen.pulled += value.byteLength;
          controller.enqueue(value);
        },
        cancel: () => void (seen.cancelled = true),
      }, { highWaterMark: 0 });
    },
    ...more,
  };
  return { source, seen };
}

function* generated(chunks: number, size: number): Generator<Uint8Array> {
  for (let i = 0; i < chunks; i++) yield new Uint8Array(size).fill(i);
}

Deno.test("a file arrives with its fields, name, type and every byte, over HTTP and in process", async () => {
  let form: FormData | undefined;
  const handler = async (request: Request) => {
    form = await request.formData();
    return Response.json(ACCEPTED, { status: 202 });
  };
  await using server = httpServer(handler);
  const clients = [
    new EngineClient({ baseUrl: server.url }),
    new EngineClient({ baseUrl: "http://embedded", fetch: handler }),
  ];
  for (const client of clients) {
    const { source } = file([new Uint8Array([1, 2]), new Uint8Array(), new Uint8Array([13, 10, 0])], {
      filename: 'Ärger "1"\r\n.pdf',
      contentType: "application/pdf",
      size: 5,
      title: "T\nU",
      source_path: "p/ü.pdf",
      tags: ["a", "b"],
    });
    assertEquals(await client.addFile(source), ACCEPTED);
    const part = form!.get("file") as File;
    assertEquals(await part.bytes(), new Uint8Array([1, 2, 13, 10, 0]));
    assertEquals([part.name, part.type], ["Ärger %221%22%0D%0A.pdf", "application/pdf"]);
    assertEquals(
      [form!.get("title"), form!.get("source_path"), form!.getAll("tags")],
      ["T\nU", "p/ü.pdf", ["a", "b"]],
    );
  }
});

Deno.test("an empty file is sent", async () => {
  let size: number | undefined;
  const client = new EngineClient({
    baseUrl: "http://embedded",
    fetch: async (request) => {
      size = ((await request.formData()).get("file") as File).size;
      return Response.json(ACCEPTED);
    },
  });
  await client.addFile(file([]).source);
  assertEquals(size, 0);
});

Deno.test("an invalid media type is sent as application/octet-stream, and cannot inject a header", async () => {
  let type: string | undefined;
  const client = new EngineClient({
    baseUrl: "http://embedded",
    fetch: async (request) => {
      const form = await request.formData();
      type = (form.get("file") as File).type;
      assertEquals([...form.keys()], ["file"]);
      return Response.json(ACCEPTED);
    },
  });
  for (const contentType of ["text/plain\r\nX: y", "nonsense", ""]) {
    await client.addFile(file([], { contentType }).source);
    assertEquals(type, "application/octet-stream");
  }
  await client.addFile(file([], { contentType: "text/plain; charset=utf-8" }).source);
  assertEquals(type, "text/plain; charset=utf-8");
});

Deno.test("an in-process engine receives as many bytes as the content length declares", async () => {
  const client = new EngineClient({
    baseUrl: "http://embedded",
    fetch: async (request) => {
      assertEquals(Number(request.headers.get("content-length")), (await request.bytes()).byteLength);
      return Response.json(ACCEPTED);
    },
  });
  await client.addFile(file(generated(3, 1000), { size: 3000, title: "é" }).source);
});

for (
  const [name, size, message] of [
    ["fewer", 5, "The file must have 5 bytes, got only 4. Nothing was stored."],
    ["more", 3, "The file must have 3 bytes, got 4 or more. Nothing was stored."],
  ] as const
) {
  Deno.test(`a file of ${name} bytes than declared fails the call, and the form stays incomplete`, async () => {
    let whole = false;
    await using server = httpServer(async (request) => {
      try {
        await request.formData();
        whole = true;
      } catch {
        // The form is incomplete.
      }
      return Response.json(ACCEPTED);
    });
    const { source } = file(generated(2, 2), { size });
    const error = await assertRejects(
      () => new EngineClient({ baseUrl: server.url }).addFile(source),
      EngineError,
    );
    assertEquals([error.code, error.message, whole], ["invalid", message, false]);
  });
}

Deno.test("a file that cannot be read fails the call without revealing its path", async () => {
  await using server = httpServer(async (request) =>
    Response.json({ n: (await request.bytes()).byteLength })
  );
  const client = new EngineClient({ baseUrl: server.url });
  const { source } = file([], { size: 9, open: () => Promise.reject(new Error("/private/path: gone")) });
  const error = await assertRejects(
    () => client.addFile(source),
    EngineError,
    "could not be read completely",
  );
  assertEquals([error.code, error.message.includes("/private")], ["invalid", false]);
});

Deno.test("a file is not opened for an unreachable engine", async () => {
  const { source, seen } = file(generated(1, 10), { size: 10 });
  const client = new EngineClient({ baseUrl: CLOSED_URL });
  assertEquals((await assertRejects(() => client.addFile(source), EngineError)).code, "unreachable");
  assertEquals(seen.opened, 0);
});

Deno.test("a file that fetch opened before it failed to connect is closed", async () => {
  const { source, seen } = file(generated(1024, 65_536), { size: 64 * 2 ** 20 });
  const client = new EngineClient({ baseUrl: CLOSED_URL, probe: () => Promise.resolve() });
  assertEquals((await assertRejects(() => client.addFile(source), EngineError)).code, "unreachable");
  assertEquals([seen.opened, seen.cancelled], [1, true]);
});

Deno.test("64 MiB are streamed: read as fast as they are sent, and never held in memory", async () => {
  const size = 64 * 2 ** 20;
  const { source, seen } = file(generated(1024, 65_536), { size });
  let received = 0;
  let maxInFlight = 0;
  await using server = httpServer(async (request) => {
    for await (const chunk of request.body!) {
      received += chunk.byteLength;
      maxInFlight = Math.max(maxInFlight, seen.pulled - received);
    }
    return Response.json(ACCEPTED);
  });
  assertEquals(await new EngineClient({ baseUrl: server.url }).addFile(source), ACCEPTED);
  assert(received > size && received < size + 2000, `${received}`);
  // The buffers of both sockets and their streams.
  assert(maxInFlight < 16 * 2 ** 20, `${maxInFlight} bytes in flight`);
});

Deno.test("an engine that stops reading fails the call at the deadline, and nothing is stored", async () => {
  await using server = rawServer(({ testOver }) => testOver);
  const { source, seen } = file(generated(1024, 65_536), { size: 64 * 2 ** 20 });
  const client = new EngineClient({ baseUrl: server.url, timeoutMs: 300 });
  const error = await assertRejects(() => client.addFile(source), EngineError);
  assertEquals([error.code, seen.cancelled], ["timeout", true]);
  assertMatch(
    error.message,
    /did not accept the whole file within 0\.3 s; nothing was stored \(\d+ bytes were sent\)/,
  );
});

Deno.test("if an engine disconnects while reading, nothing is stored", async () => {
  await using server = rawServer(({ read }) => read());
  const { source, seen } = file(generated(1024, 65_536), { size: 64 * 2 ** 20 });
  const error = await assertRejects(
    () => new EngineClient({ baseUrl: server.url }).addFile(source),
    EngineError,
  );
  assertEquals([error.code, seen.cancelled], ["unreachable", true]);
  assertMatch(error.message, /closed while the file was being sent; nothing was stored/);
});

Deno.test("an engine that disconnects after the whole file leaves the outcome unknown", async () => {
  await using server = rawServer(async ({ received, read }) => {
    while (!received().endsWith("0\r\n\r\n")) await read();
  });
  const { source } = file(generated(1, 10), { size: 10 });
  const error = await assertRejects(
    () => new EngineClient({ baseUrl: server.url }).addFile(source),
    EngineError,
  );
  assertEquals(error.code, "outcome_unknown");
  assertMatch(error.message, /Check kb_jobs for a new job before you send it again\./);
});

Deno.test("an engine that rejects the file before reading all of it is reported, and the file is closed", async () => {
  await using server = rawServer(({ write, testOver }) => {
    const body = '{"error":{"code":"too_large","message":"at most 5 bytes"}}';
    return write(head(413, { "content-length": body.length, connection: "close" }) + body).then(() =>
      testOver
    );
  });
  const { source, seen } = file(generated(1024, 65_536), { size: 64 * 2 ** 20 });
  const error = await assertRejects(
    () => new EngineClient({ baseUrl: server.url }).addFile(source),
    EngineError,
  );
  assertEquals([error.code, seen.cancelled], ["too_large", true]);
});

Deno.test("a file that opens after the deadline is closed", async () => {
  const opening = Promise.withResolvers<ReadableStream<Uint8Array>>();
  const closed = Promise.withResolvers<void>();
  const client = new EngineClient({
    baseUrl: "http://embedded",
    fetch: async (request) => Response.json({ n: (await request.bytes()).byteLength }),
    timeoutMs: 20,
  });
  const { source } = file([], { size: 9, open: () => opening.promise });
  assertEquals((await assertRejects(() => client.addFile(source), EngineError)).code, "timeout");
  opening.resolve(new ReadableStream({ cancel: () => closed.resolve() }));
  await closed.promise;
});

Deno.test("a real file is streamed from disk, and its handle is closed on success and on failure", async () => {
  const path = await Deno.makeTempFile();
  try {
    await Deno.writeFile(path, new Uint8Array(300_000).fill(7));
    let received = 0;
    const client = new EngineClient({
      baseUrl: "http://embedded",
      fetch: async (request) => {
        received = ((await request.formData()).get("file") as File).size;
        return Response.json(ACCEPTED);
      },
    });
    const open = async () => (await Deno.open(path)).readable;
    await client.addFile(file([], { size: 300_000, open }).source);
    assertEquals(received, 300_000);
    const { source } = file([], { size: 100, open });
    await assertRejects(() => client.addFile(source), EngineError, "must have 100 bytes");
  } finally {
    await Deno.remove(path);
  }
});
