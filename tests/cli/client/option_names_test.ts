import { assertEquals } from "@std/assert";
import { nameOptions } from "../../../src/cli/client/option_names.ts";

Deno.test("messages of the engine name options instead of fields, and quoted text stays", () => {
  const cases: [message: string, named: string][] = [
    [
      'section.heading "tags must" is not in the note, which has no headings: use replace, append or prepend.',
      '--section "tags must" is not in the note, which has no headings: use --find, --append or --prepend.',
    ],
    [
      "tags.0 must not be empty; metadata.due must be text",
      "--tags must not be empty; --metadata must be text",
    ],
    ["section.text must not swallow the next heading", "--with must not swallow the next heading"],
    ["status must be one of queued", "status must be one of queued"],
    ["The title is long", "The title is long"],
  ];
  for (const [message, named] of cases) assertEquals(nameOptions(message), named);
  const hostile = `${"a.".repeat(50_000)} `;
  assertEquals(nameOptions(hostile), hostile);
});
