import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { HttpError } from "../../../src/engine/http/errors.ts";
import { multipartBoundary, readMultipart } from "../../../src/engine/http/multipart.ts";

type ReadPart = { name: string; filename?: string; type?: string; body: string };

const BOUNDARY = "----x";

/** Returns a body with CRLF line ends and one byte per character (Latin-1). */
function crlf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text.replaceAll("\n", "\r\n"), (char) => char.charCodeAt(0));
}

async function* chunks(body: Uint8Array, ...cuts: number[]): AsyncGenerator<Uint8Array> {
  let from = 0;
  for (const cut of [...cuts, body.length]) {
    yield await Promise.resolve(body.subarray(from, cut));
    from = cut;
  }
}

async function parse(source: AsyncIterable<Uint8Array>, boundary = BOUNDARY): Promise<ReadPart[]> {
  const parts: ReadPart[] = [];
  for await (const { name, filename, contentType, body } of readMultipart(source, boundary)) {
    let text = "";
    for await (const chunk of body) text += String.fromCharCode(...chunk);
    parts.push({
      name,
      ...(filename === undefined ? {} : { filename }),
      ...(contentType === undefined ? {} : { type: contentType }),
      body: text,
    });
  }
  return parts;
}

const FORM = crlf(
  [
    "------x",
    'Content-Disposition: form-data; name="text"',
    "",
    "two\nlines, --\r-----x and \n--- as bait\n-----",
    "------x",
    'content-disposition: form-data; name="file"; filename="a.bin"',
    "Content-Type: application/octet-stream",
    "",
    "\x00\xff\n\n------\n",
    "------x",
    'Content-Disposition: form-data; name="empty"',
    "",
    "",
    "------x--",
    "",
  ].join("\n"),
);
const PARTS: ReadPart[] = [
  { name: "text", body: "two\r\nlines, --\r-----x and \r\n--- as bait\r\n-----" },
  { name: "file", filename: "a.bin", type: "application/octet-stream", body: "\x00\xff\r\n\r\n------\r\n" },
  { name: "empty", body: "" },
];

Deno.test("multipart: a form split into two chunks anywhere yields the same parts", async () => {
  for (let cut = 0; cut <= FORM.length; cut++) {
    assertEquals(await parse(chunks(FORM, cut)), PARTS, `split at ${cut}`);
  }
});

Deno.test("multipart: a form in chunks of any size yields the same parts", async () => {
  for (let size = 1; size <= 64; size++) {
    const cuts = Array.from({ length: Math.floor(FORM.length / size) }, (_, i) => (i + 1) * size);
    assertEquals(await parse(chunks(FORM, ...cuts)), PARTS, `chunks of ${size} bytes`);
  }
});

Deno.test("multipart: a form truncated anywhere is rejected", async () => {
  // The line end after the closing boundary is optional.
  for (let end = 0; end < FORM.length - 2; end++) {
    const error = await assertRejects(() => parse(chunks(FORM.subarray(0, end))), HttpError);
    assertEquals(error.code, "invalid", `truncated at ${end}`);
  }
  assertEquals(await parse(chunks(FORM.subarray(0, FORM.length - 2))), PARTS);
});

Deno.test("multipart: a serialized FormData is parsed to the same fields", async () => {
  const form = new FormData();
  form.append('na"me', "line\nbreak — ünïcode");
  form.append("file", new File(["bytes"], 'we"ird\r\nname.md', { type: "text/markdown" }));
  const request = new Request("http://engine", { method: "POST", body: form });
  const boundary = multipartBoundary(request.headers.get("content-type"));
  assertEquals(await parse(request.body!, boundary), [
    { name: 'na"me', body: String.fromCharCode(...new TextEncoder().encode("line\r\nbreak — ünïcode")) },
    { name: "file", filename: 'we"irdname.md', type: "text/markdown", body: "bytes" },
  ]);
});

Deno.test("multipart: preamble, epilogue and padding after boundaries are ignored", async () => {
  const body = crlf(
    'for old readers\n------x \t\nContent-Disposition: form-data; name="a"\n\n1\n------x-- \nthe end',
  );
  assertEquals(await parse(chunks(body)), [{ name: "a", body: "1" }]);
});

Deno.test("multipart: unread parts are skipped", async () => {
  const names: string[] = [];
  for await (const { name } of readMultipart(chunks(FORM, 30, 60, 90), BOUNDARY)) names.push(name);
  assertEquals(names, ["text", "file", "empty"]);
});

Deno.test("multipart: a consumer that stops early closes the source", async () => {
  let released = false;
  async function* source() {
    try {
      yield* chunks(FORM);
    } finally {
      released = true;
    }
  }
  for await (const _ of readMultipart(source(), BOUNDARY)) break;
  assertEquals(released, true);
});

Deno.test("multipart: reading the source waits until the part is consumed", async () => {
  let pulled = 0;
  async function* source() {
    yield await Promise.resolve(crlf('------x\nContent-Disposition: form-data; name="a"\n\n'));
    for (; pulled < 100; pulled++) yield new Uint8Array(1000);
    yield crlf("\n------x--\n");
  }
  for await (const { body } of readMultipart(source(), BOUNDARY)) {
    const iterator = body[Symbol.asyncIterator]();
    await iterator.next();
    assertEquals(pulled <= 2, true, `${pulled} chunks pulled`);
    break;
  }
});

const FILENAMES: [parameter: string, filename: string | undefined][] = [
  ['filename="report.pdf"', "report.pdf"],
  ["filename=report.pdf", "report.pdf"],
  ['filename="a \\"quoted\\" \\\\ name.txt"', "name.txt".replace(/^/, " ").trim()],
  ['filename="a \\"quoted\\" name.txt"', 'a "quoted" name.txt'],
  ['filename="a%22b.txt"', 'a"b.txt'],
  ['filename="100%25 sure.txt"', "100%25 sure.txt"],
  ['filename="C:\\new\\temp\\r.txt"', "r.txt"],
  ['filename="../../etc/passwd"', "passwd"],
  ['filename="dir/"', undefined],
  ['filename=".."', undefined],
  ['filename=""', undefined],
  ['filename="a;b=c.txt"', "a;b=c.txt"],
  ["filename=\"x\"; filename*=UTF-8''na%C3%AFve%20file.pdf", "naïve file.pdf"],
  ["filename*=iso-8859-1'en'%A3.txt; filename=\"fallback\"", "£.txt"],
  ["filename*=UTF-8''..%2F..%2Fsecret.txt", "secret.txt"],
  ["filename*=UTF-8''a%00b.txt", "ab.txt"],
  [`filename="${"n".repeat(300)}.pdf"`, "n".repeat(251) + ".pdf"],
  ["FileName=upper.txt ;", "upper.txt"],
];
for (const [parameter, filename] of FILENAMES) {
  Deno.test(`multipart: ${parameter.slice(0, 60)} yields the file name ${filename?.slice(0, 30)}`, async () => {
    const body = crlf(`------x\nContent-Disposition: form-data; name="file"; ${parameter}\n\n1\n------x--\n`);
    assertEquals((await parse(chunks(body)))[0]?.filename, filename);
  });
}

Deno.test("multipart: a raw UTF-8 filename is kept", async () => {
  const body = new TextEncoder().encode(
    '------x\r\nContent-Disposition: form-data; name="file"; filename="résumé 文書.pdf"\r\n\r\n1\r\n------x--\r\n',
  );
  assertEquals((await parse(chunks(body)))[0]?.filename, "résumé 文書.pdf");
});

const part = (headers: string) => `------x\n${headers}\n\n1\n------x--\n`;
const NAMED = 'Content-Disposition: form-data; name="a"';
const MALFORMED: [what: string, body: Uint8Array, message: string][] = [
  ["an empty body", crlf(""), "truncated"],
  ["a missing first boundary", crlf("x".repeat(5000)), "start with its boundary"],
  ["bare LF line ends", crlf(part(NAMED)).filter((byte) => byte !== 13), "truncated"],
  [
    "a bare LF inside a header",
    crlf(part(`${NAMED}\u2028`).replace("\u2028", "")).map((b) => b === 58 ? 10 : b),
    "Name: value",
  ],
  ["text after a boundary", crlf(`------xtra\n${NAMED}\n\n1\n------x--\n`), "followed by a line end"],
  ["a part without Content-Disposition", crlf(part("Content-Type: text/plain")), "Content-Disposition"],
  [
    "another disposition than form-data",
    crlf(part('Content-Disposition: attachment; name="a"')),
    "form-data",
  ],
  ["a part without a name", crlf(part("Content-Disposition: form-data")), "name="],
  ["two Content-Disposition headers", crlf(part(`${NAMED}\n${NAMED}`)), "one content-disposition header"],
  ["a name given twice", crlf(part(`${NAMED}; name="b"`)), "name once"],
  ["an unclosed quoted string", crlf(part('Content-Disposition: form-data; name="a')), "malformed"],
  ["a folded header", crlf(part('Content-Disposition: form-data;\n name="a"')), "Name: value"],
  ["a NUL in a header", crlf(part(`${NAMED}\x00`)), "Name: value"],
  ["a header that is not UTF-8", crlf(part(`${NAMED}; filename="\xff"`)), "UTF-8"],
  ["base64 transfer encoding", crlf(part(`${NAMED}\nContent-Transfer-Encoding: base64`)), "left out"],
  ["an unknown charset in filename*", crlf(part(`${NAMED}; filename*=koi8-r''a`)), "filename*"],
  ["broken escapes in filename*", crlf(part(`${NAMED}; filename*=UTF-8''%ff`)), "filename*"],
  [
    "a part with too large headers",
    crlf(part(`${NAMED}\nX-A: ${"a".repeat(20_000)}`)),
    "at most 16384 bytes",
  ],
  ["a repeated header", crlf(part(`${NAMED}\n${"X: y\n".repeat(2)}`)), "one x header"],
  ["too many parts", crlf(`------x\n${NAMED}\n\n1\n`.repeat(129) + "------x--\n"), "at most 128 parts"],
  [
    "a closing boundary within a line",
    crlf("------x\n" + NAMED + "\n\na\n------x--b"),
    "followed by a line end",
  ],
  [
    "a boundary that directly follows the headers",
    crlf("------x\n" + NAMED + "\n\n------x--\n"),
    "empty part",
  ],
  ["a long epilogue", crlf(part(NAMED) + "\n" + "x".repeat(5000)), "end with its closing boundary"],
];
for (const [what, body, message] of MALFORMED) {
  Deno.test(`multipart: ${what} is rejected`, async () => {
    const error = await assertRejects(() => parse(chunks(body)), HttpError);
    assertEquals(error.code, "invalid");
    assertStringIncludes(error.message, message);
  });
}

const TYPES: [header: string | null, code: string, message: string][] = [
  [null, "unsupported_media_type", "got none"],
  ["application/json", "unsupported_media_type", "got application/json"],
  ["multipart/mixed; boundary=x", "unsupported_media_type", "multipart/form-data"],
  ["multipart/form-data", "invalid", "boundary"],
  ["multipart/form-data; boundary=", "invalid", "boundary"],
  ['multipart/form-data; boundary="ends in space "', "invalid", "boundary"],
  [`multipart/form-data; boundary=${"b".repeat(71)}`, "invalid", "boundary"],
  ["multipart/form-data; boundary=a; boundary=b", "invalid", "once"],
];
for (const [header, code, message] of TYPES) {
  Deno.test(`multipart: Content-Type ${header?.slice(0, 50)} is rejected with ${code}`, async () => {
    const error = await assertRejects(
      () => Promise.resolve().then(() => multipartBoundary(header)),
      HttpError,
    );
    assertEquals(error.code, code as HttpError["code"]);
    assertStringIncludes(error.message, message);
  });
}

Deno.test("multipart: a quoted boundary is accepted", () => {
  assertEquals(multipartBoundary('Multipart/Form-Data; charset=utf-8; Boundary="a b:c"'), "a b:c");
});
