import { assertEquals } from "@std/assert";
import { numberForms } from "../../../src/engine/search/number_forms.ts";

Deno.test("a number has its spelling with or without separators of thousands", () => {
  const cases: [text: string, forms: string[]][] = [
    ["1249,90", ["1 249 90"]],
    ["1249.90", ["1 249 90"]],
    ["12490.5", ["12 490 5"]],
    ["1234567", ["1 234 567"]],
    ["123456", ["123 456"]],
    ["1,249.90", ["1249 90"]],
    ["1.249,90", ["1249 90"]],
    ["1'249.90", ["1249 90"]],
    ["1’249", ["1249"]],
    ["€1,234,567.00,", ["1234567 00"]],
    ["(12,490)", ["12490"]],
    ["1249€", ["1 249"]],
    ["-1249,90", ["1 249 90"]],
    ["2026.50", ["2 026 50"]],
  ];
  for (const [text, forms] of cases) {
    assertEquals(numberForms(text).map((words) => words.join(" ")), forms, text);
  }
});

Deno.test("years, dates, versions, addresses and parts of words are no numbers with thousands", () => {
  for (
    const text of [
      "2026",
      "1999.",
      "249",
      "2026-03-31",
      "31.03.2026",
      "3.14159",
      "10.0.0.1",
    ]
      .concat(
        "ERR-1234",
        "x1249",
        "1249px",
        "1.2.3",
        "12:30",
        "+49-1234-5678",
        "1,24,900",
        "1234567890123456",
      )
  ) assertEquals(numberForms(text), [], text);
});
