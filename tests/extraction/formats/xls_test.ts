import { utils, write } from "@e965/xlsx";
import { assertEquals, assertRejects } from "@std/assert";
import { extract, ExtractionError } from "../../../src/extraction/mod.ts";

function workbook(): Uint8Array<ArrayBuffer> {
  const book = utils.book_new();
  const sheet = utils.aoa_to_sheet([
    ["Plants of 2026", undefined],
    ["name", "water", "bought"],
    ["Moss", 4006381333931, 0.5],
    ["Fern", true, { t: "n", v: 45366, z: "yyyy-mm-dd" }],
    ["Łódź 緑茶", { t: "n", v: 0.125, z: "0.00%" }, { t: "n", v: 45366, z: "m/d/yy" }],
  ]);
  utils.book_append_sheet(book, sheet, "Data");
  utils.book_append_sheet(book, utils.aoa_to_sheet([["Moss"]]), "Secret");
  book.Workbook = { Sheets: [{ Hidden: 0 }, { Hidden: 1 }] };
  return new Uint8Array(write(book, { type: "array", bookType: "biff8" }) as ArrayBuffer);
}

Deno.test("extract shows the values of an Excel 97 workbook as Excel does", async () => {
  const extracted = await extract({ bytes: workbook(), filename: "plants.xls", contentType: undefined });
  assertEquals(
    extracted?.text,
    "## Data\n\nPlants of 2026\n\n| name | water | bought |\n| --- | --- | --- |\n| Moss | 4006381333931 | 0.5 |\n| Fern | TRUE | 2024-03-15 |\n" +
      "| Łódź 緑茶 | 12.50% | 2024-03-15 |\n\n## Secret\n\n| Moss |\n| --- |\n",
  );
  assertEquals(extracted?.docType, "xls");
  assertEquals(extracted?.metadata?.["sheets"], ["Data", "Secret"]);
  assertEquals(extracted?.metadata?.["hidden_sheets"], ["Secret"]);
});

Deno.test("extract refuses a truncated Excel 97 workbook", async () => {
  const bytes = workbook().slice(0, 1_500);
  const error = await assertRejects(
    () => extract({ bytes, filename: "plants.xls", contentType: undefined }),
    ExtractionError,
  );
  assertEquals(error.code, "damaged");
});
