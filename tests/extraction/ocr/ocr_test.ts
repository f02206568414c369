import { assert, assertEquals, assertRejects } from "@std/assert";
import { extract, ExtractionError, Ocr } from "../../../src/extraction/mod.ts";
import { toPgm } from "../../../src/extraction/ocr/mod.ts";
import { drawText, toBmp } from "../../support/drawn_text.ts";
import { extractDocument } from "../../support/extract_document.ts";
import { englishData } from "../../support/ocr_language.ts";

const ocr = new Ocr({ languages: [await englishData()], timeoutMs: 60_000 });
const drawn = drawText(["THE HOTEL", "LET THE TOOL HEAL"]);

Deno.test("OCR reads the words of a drawn image, line by line", async () => {
  const found = await ocr.recognize(toPgm(drawn));
  assertEquals(found?.text, "THE HOTEL\nLET THE TOOL HEAL");
  assert(found && found.confidence > 0.5, String(found?.confidence));
});

Deno.test("extract reads an image with OCR, and says that its text is uncertain", async () => {
  const found = await extractDocument(
    { bytes: toBmp(drawn), filename: "scan.bmp", contentType: undefined },
    { ocr },
  );
  assertEquals([found.docType, found.title, found.markup], ["image", undefined, "plain"]);
  assertEquals(found.text, "THE HOTEL\nLET THE TOOL HEAL");
  assertEquals(found.metadata?.["width"], drawn.width);
  assert(/read from an image by OCR with a confidence of \d+ %/.test(found.warnings?.[0] ?? ""));
});

Deno.test("extract finds no text in an image without words", async () => {
  const bytes = toBmp(drawText([" ".repeat(20)]));
  const error = await assertRejects(
    () => extract({ bytes, filename: "blank.bmp", contentType: undefined }, { ocr }),
    ExtractionError,
  );
  assertEquals(error.code, "no_text");
});

Deno.test("extract refuses an image without language data, and names the command that installs them", async () => {
  const error = await assertRejects(
    () => extract({ bytes: toBmp(drawn), filename: "scan.bmp", contentType: undefined }),
    ExtractionError,
    "kb-mcp model install ocr-eng",
  );
  assertEquals(error.code, "unsupported_type");
});

Deno.test("extract refuses an image with too many pixels before it decodes them", async () => {
  const bytes = toBmp(drawn);
  new DataView(bytes.buffer).setUint32(18, 100_000, true);
  new DataView(bytes.buffer).setUint32(22, 100_000, true);
  const error = await assertRejects(
    () => extract({ bytes, filename: "huge.bmp", contentType: undefined }, { ocr }),
    ExtractionError,
  );
  assertEquals(error.code, "too_large");
});

Deno.test("extract refuses a truncated image as damaged, and reads the next one", async () => {
  const error = await assertRejects(
    () => extract({ bytes: toBmp(drawn).slice(0, 40), filename: "cut.bmp", contentType: undefined }, { ocr }),
    ExtractionError,
  );
  assertEquals(error.code, "damaged");
  assertEquals((await ocr.recognize(toPgm(drawn)))?.text.startsWith("THE"), true);
});

Deno.test("the time limit counts the images of one file", async () => {
  let clock = 0;
  const limited = new Ocr({ languages: [await englishData()], timeoutMs: 100, now: () => clock += 60 });
  const blank = toPgm(drawText([" "]));
  await limited.recognize(blank);
  assertEquals(limited.isOverTime, false);
  await limited.recognize(blank);
  assertEquals(limited.isOverTime, true);
  limited.reset();
  assertEquals(limited.isOverTime, false);
});
