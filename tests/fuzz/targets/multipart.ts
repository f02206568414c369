import { assert, assertEquals } from "@std/assert";
import { HttpError } from "../../../src/engine/http/errors.ts";
import { readMultipart } from "../../../src/engine/http/multipart.ts";
import type { Random } from "../../support/random.ts";
import { type FuzzTarget, utf8 } from "../target.ts";

const BOUNDARY = "b-1";
const CHUNK_SIZES = [1, 2, 3, 7, 64];

interface Part {
  readonly name: string;
  readonly filename: string | undefined;
  /** Content as text; invalid UTF-8 becomes U+FFFD. */
  readonly body: string;
}

/**
 * The multipart parser returns the same parts or error code for every division into chunks, and in a
 * form that it accepts it finds every field that `Response.formData()` finds.
 */
export const multipart: FuzzTarget = {
  name: "multipart",
  iterations: 250,
  seeds: utf8([
    form(['name="text"', "", "two\nlines --b-1 and\n--b"]),
    form(
      ['name="file"; filename="a.bin"\nContent-Type: application/octet-stream', "", "\0\x01\n\n--"],
      ['name="empty"', "", ""],
    ),
    form(["name=tags; filename*=UTF-8''na%C3%AFve.txt", "", "x"], ['name="tags"', "", "y"]),
    `--${BOUNDARY}--\r\n`,
  ]),
  dictionary: utf8([
    "\r\n--b-1",
    "--b-1--\r\n",
    "\r\n",
    "\r\n\r\n",
    "Content-Disposition: form-data; ",
    'name="a"',
    '; filename="a\\"b"',
    "; filename*=UTF-8''%41",
    "Content-Transfer-Encoding: base64\r\n",
    "%22%0d%0a",
    "\r",
    "\n",
    ":",
    "; ",
    "\\",
  ]),
  generate: (random) => utf8([generateForm(random)])[0]!,
  open: () => async (input) => {
    const whole = await parse(input, Infinity);
    for (const size of CHUNK_SIZES) assertEquals(await parse(input, size), whole, `chunks of ${size} bytes`);
    if (typeof whole === "string") return;
    const ours = whole.map(({ body }) => body);
    for (const body of await bodiesInFormData(input)) {
      // Deno drops a part whose parameters it cannot read, so that only the order is the same.
      const at = ours.indexOf(body);
      assert(at >= 0, `FormData has the field ${JSON.stringify(body)}`);
      ours.splice(0, at + 1);
    }
  },
};

/** Returns the parts, or the code of the error. */
async function parse(input: Uint8Array, chunkSize: number): Promise<Part[] | string> {
  const parts: Part[] = [];
  try {
    for await (const { name, filename, body } of readMultipart(chunksOf(input, chunkSize), BOUNDARY)) {
      const text = await new Response(ReadableStream.from(body)).text();
      parts.push({ name, filename, body: text });
    }
    return parts;
  } catch (error) {
    if (error instanceof HttpError) return error.code;
    throw error;
  }
}

async function* chunksOf(input: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < input.length; at += size) {
    yield await Promise.resolve(input.subarray(at, Math.min(at + size, input.length)));
  }
}

/** Returns the fields that `Response.formData()` finds; none if it rejects the form. */
async function bodiesInFormData(input: Uint8Array<ArrayBuffer>): Promise<string[]> {
  const headers = { "content-type": `multipart/form-data; boundary=${BOUNDARY}` };
  const form = await new Response(input, { headers }).formData().catch(() => new FormData());
  return await Promise.all(Array.from(form.values(), (value) => new Response(value).text()));
}

/** Builds a form from the lines after `Content-Disposition: form-data; ` of each part. */
function form(...parts: string[][]): string {
  const encoded = parts.map((lines) =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; ${lines.join("\n").replaceAll("\n", "\r\n")}\r\n`
  );
  return `${encoded.join("")}--${BOUNDARY}--\r\n`;
}

function generateForm(random: Random): string {
  const word = () => random.pick(["a", "file", "ä", "%22", 'q\\"', "", "x".repeat(random.int(300))]);
  const quoted = () => random.int(3) === 0 ? `=${random.pick(["a", "b.txt"])}` : `="${word()}"`;
  const parts = Array.from({ length: random.int(5) }, () => {
    const filename = random.int(3) === 0 ? `; filename${random.pick(["", "*"])}${quoted()}` : "";
    const header = random.int(3) === 0 ? `\n${random.pick(["Content-Type", "X-Other"])}: ${word()}` : "";
    return [`name${quoted()}${filename}${header}`, "", word() + random.pick(["", "\n", "\n--b-", "--"])];
  });
  return random.pick(["", "", "", "preamble\r\n"]) + form(...parts) + random.pick(["", "", "epilogue"]);
}
