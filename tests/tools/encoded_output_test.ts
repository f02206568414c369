import { assertEquals } from "@std/assert";
import { encodeSearchPage } from "../../src/presentation/mod.ts";
import { joinText } from "../../src/text/mod.ts";
import { EncodedOutput } from "../../src/tools/mod.ts";

const PAGE = encodeSearchPage({
  results: [{ chunk_id: 1, document_id: 2, score: 0.5, text: '"…"', tags: [], title: "Ferns" }],
}, "2026-03-31");
const RESULTS = [{ document_id: 2, chunk_id: 1, score: 0.5, title: "Ferns", text: '"…"' }];

Deno.test("EncodedOutput: the JSON is that of the output with the results in their place", () => {
  const outputs: { mode?: string; hint?: string; results: [] }[] = [
    { results: [] },
    { mode: "fts", results: [], hint: '"results":[]' },
    { mode: 'a "results":[] …', results: [] },
  ];
  for (const output of outputs) {
    const encoded = new EncodedOutput(output, PAGE);
    const json = JSON.stringify({ ...output, results: RESULTS });
    assertEquals(joinText(encoded.json), json);
    assertEquals(joinText(encoded.quoted), JSON.stringify(json));
    assertEquals(encoded.chars, json.length);
    assertEquals<unknown>(encoded.value, { ...output, results: RESULTS });
  }
});

Deno.test("EncodedOutput links to the documents of the results", () => {
  const { content } = new EncodedOutput({ results: [] }, PAGE);
  assertEquals(content, [{ type: "resource_link", uri: "kb://documents/2", name: "Ferns" }]);
});
