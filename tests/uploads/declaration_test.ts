import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { type UploadDeclaration, UploadError, type UploadErrorCode } from "../../src/uploads/mod.ts";
import { Fixture } from "./support.ts";

Deno.test("a started upload has a UUID, a capability, no bytes and an expiry time", async () => {
  await using fixture = await Fixture.open();
  const { capability, upload_id, ...state } = await fixture.start();
  assertMatch(upload_id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assertMatch(capability, /^[A-Za-z0-9_-]{43}$/); // 256 bits
  assertEquals(state, {
    filename: "report.txt",
    received_bytes: 0,
    expected_bytes: 10,
    chunks_received: 0,
    missing_chunks: [],
    missing_count: 0,
    complete: false,
    expires_at: "2026-01-01T00:10:00.000Z",
  });
  const other = await fixture.start();
  assert(other.upload_id !== upload_id && other.capability !== capability);
});

const NAMES: [filename: string, cleaned: string][] = [
  ["report.pdf", "report.pdf"],
  ["/home/me/report.pdf", "report.pdf"],
  ["C:\\Users\\me\\report.pdf", "report.pdf"],
  ["../../etc/passwd", "passwd"],
  ["a/..\\b.txt", "b.txt"],
  [" Résumé 履歴書.docx ", "Résumé 履歴書.docx"],
  ["x".repeat(251) + ".pdf", "x".repeat(251) + ".pdf"],
  ["bad\ud800.txt", "bad\ufffd.txt"],
];
for (const [filename, cleaned] of NAMES) {
  Deno.test(`the file name ${JSON.stringify(filename.slice(-30))} becomes ${JSON.stringify(cleaned.slice(-30))}`, async () => {
    await using fixture = await Fixture.open();
    assertEquals((await fixture.start({ filename })).filename, cleaned);
  });
}

const REJECTED: [
  mistake: string,
  request: Partial<UploadDeclaration>,
  code: UploadErrorCode,
  message: string,
][] = [
  ["no file name", { filename: "" }, "invalid", "filename must end in a file's name such as report.pdf"],
  ["a directory", { filename: "reports/" }, "invalid", "filename must end in a file's name"],
  ["a parent directory", { filename: "reports/.." }, "invalid", "filename must end in a file's name"],
  ["a line break in the name", { filename: "a\r\nb.txt" }, "invalid", "must not contain control characters"],
  [
    "a C1 control in the name",
    { filename: "a\u0085b.txt" },
    "invalid",
    "must not contain control characters",
  ],
  [
    "a name of 256 bytes",
    { filename: "é".repeat(126) + ".pdf" },
    "invalid",
    "at most 255 bytes of UTF-8, got 256",
  ],
  ["an empty file", { totalSize: 0 }, "invalid", "an empty file has no text to find"],
  ["a negative size", { totalSize: -1 }, "invalid", "total_size must be the file's size in bytes, got -1"],
  ["a fractional size", { totalSize: 1.5 }, "invalid", "got 1.5"],
  ["a size that is no number", { totalSize: NaN }, "invalid", "got NaN"],
  ["too large a size", { totalSize: 1001 }, "too_large", "at most 1000 bytes, got 1001"],
  ["a short digest", { sha256: "abc" }, "invalid", "sha256 must be 64 hexadecimal digits, got 3 characters"],
  [
    "a digest with invalid letters",
    { sha256: "g".repeat(64) },
    "invalid",
    "sha256 must be 64 hexadecimal digits",
  ],
  [
    "a header in the type",
    { contentType: "text/plain\r\nX: y" },
    "invalid",
    "content_type must be a media type",
  ],
];
for (const [mistake, request, code, message] of REJECTED) {
  Deno.test(`an upload with ${mistake} is rejected`, async () => {
    await using fixture = await Fixture.open();
    const error = await assertRejects(() => fixture.start(request), UploadError, message);
    assertEquals(error.code, code);
    assertEquals(fixture.uploads.active, { uploads: 0, bytes: 0 });
    assertEquals(await fixture.staged(), []);
  });
}

Deno.test("the error for a size over the limit names the setting", async () => {
  await using fixture = await Fixture.open();
  await assertRejects(() => fixture.start({ totalSize: 5000 }), UploadError, "KB_UPLOAD_MAX_BYTES");
});
