import { assertEquals } from "@std/assert";
import { sectionPrefix } from "../../src/source_tools/section.ts";

const COMPOSED = "B\xfccher";
const DECOMPOSED = COMPOSED.normalize("NFD");
const sections = [{ name: DECOMPOSED, documents: 1 }, { name: "Caf\xe9", documents: 1 }];

Deno.test("a section is found in composed and decomposed letters, as macOS has them", () => {
  const cases: [section: string | undefined, prefix: string][] = [
    [undefined, ""],
    ["/", ""],
    [DECOMPOSED, `${DECOMPOSED}/`],
    [COMPOSED, `${DECOMPOSED}/`],
    [`/${COMPOSED}/F\xf6hn/`, `${DECOMPOSED}/Fo\u0308hn/`],
    ["Cafe\u0301", "Caf\xe9/"],
    ["Unknown\xfc", "Unknown\xfc/"],
  ];
  for (const [section, prefix] of cases) assertEquals(sectionPrefix(section, { sections }), prefix);
});
