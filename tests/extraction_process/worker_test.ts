import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { fileURLToPath } from "node:url";
import {
  type ExtractedFile,
  extractionCommand,
  ExtractionProcess,
  ProcessExitError,
  WorkerError,
} from "../../src/extraction_process/mod.ts";
import { drawText, toBmp } from "../support/drawn_text.ts";
import { loopingPdf } from "../support/hostile_files.ts";
import { ENGLISH_DATA } from "../support/ocr_language.ts";
import { sampleZip } from "../support/sample_archives.ts";
import { sampleDocx, samplePdf } from "../support/samples.ts";

const CHUNK = { maxTokens: 320, overlapTokens: 48 };
const MiB = 2 ** 20;

async function startProcess(maxMemoryBytes = 1024 * MiB): Promise<ExtractionProcess> {
  const process = new ExtractionProcess(await extractionCommand({ maxMemoryBytes }));
  await process.start();
  return process;
}

async function extract(
  process: ExtractionProcess,
  filename: string,
  content: string | Uint8Array,
): Promise<ExtractedFile> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const stream = ReadableStream.from([bytes]);
  const found = await process.extract({ filename, chunk: CHUNK }, {
    bytes: stream,
    sizeBytes: bytes.byteLength,
  });
  assert(found);
  return found;
}

Deno.test("extract-worker reads every format without a permission", async () => {
  assertEquals(
    (await extractionCommand({ maxMemoryBytes: MiB })).args.filter((flag) => flag.startsWith("--allow")),
    [],
  );
  await using process = await startProcess();
  const types: string[] = [];
  for (
    const [name, content] of [
      ["a.pdf", samplePdf(["The kettle is in the cupboard."])],
      ["a.docx", await sampleDocx(["The kettle is in the cupboard."])],
      ["a.html", "<html><body><p>The kettle is in the cupboard."],
      ["a.md", "---\ntags: [home]\n---\n# Kettle\n\nThe kettle is in the cupboard."],
      ["a.txt", "The kettle is in the cupboard."],
    ] as const
  ) {
    const { document, chunks } = await extract(process, name, content);
    types.push(document.docType);
    assertMatch(chunks[0]!.text, /The kettle is in the cupboard\./);
  }
  assertEquals(types, ["pdf", "docx", "html", "markdown", "text"]);
});

Deno.test("extract-worker reads language data, drops the permission, and reads an image", async () => {
  const command = await extractionCommand({
    maxMemoryBytes: 1024 * MiB,
    ocr: { files: [ENGLISH_DATA], timeoutMs: 60_000 },
  });
  assertEquals(command.args.filter((flag) => flag.startsWith("--allow")), [`--allow-read=${ENGLISH_DATA}`]);
  await using process = new ExtractionProcess(command);
  await process.start();
  const { document, chunks } = await extract(process, "scan.bmp", toBmp(drawText(["THE HOTEL"])));
  assertEquals([document.docType, chunks[0]!.text], ["image", "THE HOTEL"]);
  assertMatch(document.warnings![0]!, /by OCR/);
});

Deno.test("extract-worker returns the chunks of a long text in several messages", async () => {
  await using process = await startProcess();
  const paragraph = "The kettle is in the cupboard. ".repeat(20);
  const { chunks } = await extract(process, "a.txt", `${paragraph}\n\n`.repeat(1000));
  assertEquals(chunks.at(-1)!.charEnd, 1000 * (paragraph.length + 2) - 3);
  assertEquals(chunks.every(({ text, charStart, charEnd }) => text.length === charEnd - charStart), true);
});

Deno.test("extract-worker returns no chunk of a text that is too long", async () => {
  await using process = await startProcess();
  const bytes = new TextEncoder().encode("The kettle is in the cupboard.\n\n".repeat(40_000));
  const read = async (maxTextChars: number) => {
    let chunks = 0;
    const sink = {
      start() {},
      add: (added: readonly unknown[]) => {
        chunks += added.length;
        return Promise.resolve();
      },
    };
    const message = { filename: "a.txt", chunk: CHUNK, maxTextChars, longTextBytes: bytes.byteLength };
    const content = { bytes: ReadableStream.from([bytes]), sizeBytes: bytes.byteLength };
    const outcome = await process.extract(message, content, { sink }).then(
      () => "read",
      (error) => error.code,
    );
    return [outcome, chunks > 0];
  };
  assertEquals(await read(1_000_000), ["too_large", false]);
  assertEquals(await read(2_000_000), ["read", true]);
});

Deno.test("extract-worker returns thousands of short chunks", async () => {
  await using process = await startProcess();
  const bytes = new TextEncoder().encode("\u6c34".repeat(50_000));
  const found = await process.extract(
    { filename: "a.txt", chunk: { maxTokens: 16, overlapTokens: 0 } },
    { bytes: ReadableStream.from([bytes]), sizeBytes: bytes.byteLength },
  );
  assert(found);
  const { chunks } = found;
  assertEquals([chunks.length > 2000, chunks.at(-1)!.charEnd], [true, 50_000]);
});

Deno.test("extract-worker reports a file that is not a document, and continues", async () => {
  await using process = await startProcess();
  const error = await assertRejects(() => extract(process, "a.pdf", "%PDF-1.4 nothing"), WorkerError);
  assertEquals(error.code, "damaged");
  assertMatch((error.cause as Error).message, /InvalidPDFException/);
  assertEquals((await extract(process, "a.txt", "text")).document.docType, "text");
});

Deno.test("extract-worker leaves Ctrl-C, which a terminal sends to all processes, to its parent", {
  ignore: Deno.build.os === "windows",
}, async () => {
  await using process = await startProcess();
  Deno.kill(process.pid, "SIGINT");
  Deno.kill(process.pid, "SIGTERM");
  assertEquals((await extract(process, "a.txt", "text")).document.docType, "text");
});

Deno.test("extract-worker is killed when it exceeds its memory, even in an endless loop", async () => {
  await using process = await startProcess(150 * MiB);
  const error = await assertRejects(() => extract(process, "a.pdf", loopingPdf()), ProcessExitError);
  assertEquals(error.code, "memory");
});

Deno.test("extract-worker drops permissions that an executable was compiled with", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", fileURLToPath(import.meta.resolve("./sandbox.ts")), String(port)],
    stdin: "piped",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const { code, stderr } = await child.output();
  await child.stdin.abort();
  const names = ["read", "write", "run", "env", "connect", "node:net", "signal"];
  assertEquals(new TextDecoder().decode(stderr).split("\n"), names.map((name) => `${name} failed`));
  assertEquals(code, 0);
});

Deno.test("extract-worker ends with its parent, even in an endless loop", async () => {
  const script = fileURLToPath(import.meta.resolve("./orphan.ts"));
  const parent = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", script],
    stdout: "piped",
  })
    .spawn();
  // The parent is killed once its child reads the file; standard output of the child's pipe closes with both.
  const { signal, stdout } = await parent.output();
  assertEquals(signal, "SIGKILL");
  const pid = Number(new TextDecoder().decode(stdout));
  while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
});

function isRunning(pid: number): boolean {
  try {
    Deno.kill(pid, "SIGCONT");
    return true;
  } catch {
    return false;
  }
}

Deno.test("extract-worker sends the files of an archive, large ones in parts", async () => {
  await using process = await startProcess();
  const large = "kettle ".repeat(400_000);
  const bytes = sampleZip([{ path: "a.txt", content: "x" }, { path: "b.txt", content: large }, {
    path: "c.txt",
  }]);
  const fileLimits = { maxFiles: 3, maxFileBytes: 4 * MiB, maxTotalBytes: 4 * MiB };
  const files: [string, string][] = [];
  const extracted = await process.extract(
    { filename: "a.zip", chunk: CHUNK, fileLimits },
    { bytes: ReadableStream.from([bytes]), sizeBytes: bytes.byteLength },
    {
      onFile: async ({ path, bytes }) => {
        files.push([path, await new Response(ReadableStream.from(bytes)).text()]);
      },
    },
  );
  assertEquals(extracted, null);
  assertEquals(files, [["a.txt", "x"], ["b.txt", large], ["c.txt", ""]]);
  assertMatch((await extract(process, "a.txt", "next")).chunks[0]!.text, /next/);
});
