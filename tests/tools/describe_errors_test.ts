import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { EngineError } from "../../src/client/mod.ts";
import { CollectionError } from "../../src/collections/mod.ts";
import { createLogger } from "../../src/telemetry/mod.ts";
import { describeError, ToolError } from "../../src/tools/mod.ts";
import { UploadError } from "../../src/uploads/mod.ts";

function describe(error: unknown): { text: string; log: string[] } {
  const log: string[] = [];
  const logger = createLogger("info", { write: (line) => log.push(line) });
  return { text: describeError(error, { tool: "kb_get", log: logger }), log };
}

const PRIVATE = new Error("SELECT secret FROM /var/lib/kb/kb.sqlite");

for (
  const error of [
    new ToolError("Exactly one of a and b must be given, got both.", { cause: PRIVATE }),
    new UploadError("not_found", "There is no such upload.", { cause: PRIVATE }),
    new CollectionError("Unknown collection.", { cause: PRIVATE }),
    new EngineError("not_found", "There is no document 42.", { cause: PRIVATE }),
  ]
) {
  Deno.test(`${error.name}: the model gets its message but not its cause, and nothing is logged`, () => {
    assertEquals(describe(error), { text: error.message, log: [] });
  });
}

Deno.test("an engine failure is logged with its cause", () => {
  const { text, log } = describe(
    new EngineError("unreachable", "The engine is unreachable.", { cause: PRIVATE }),
  );
  assertEquals(text, "The engine is unreachable.");
  assertEquals(log.length, 1);
  assertStringIncludes(log[0] ?? "", "SELECT secret");
});

Deno.test("an unexpected error is logged whole, and the model gets only a reference", () => {
  for (const error of [PRIVATE, "just text with /a/path", undefined, new TypeError("x is not a function")]) {
    const { text, log } = describe(error);
    const reference = /^Internal error in kb_get \(reference ([0-9a-f]{8})\)/.exec(text)?.[1];
    assert(reference, text);
    for (const secret of ["SELECT", "/a/path", "not a function"]) assert(!text.includes(secret), text);
    assertEquals(log.length, 1);
    assertStringIncludes(log[0] ?? "", reference);
  }
  assertStringIncludes(describe(PRIVATE).log[0] ?? "", "SELECT secret");
});

Deno.test("a cancelled call is not an internal error", () => {
  const { text, log } = describe(new DOMException("The signal has been aborted", "AbortError"));
  assertMatch(text, /cancelled/);
  assertEquals(log, []);
});
