import { assert, assertEquals, assertMatch } from "@std/assert";
import { EngineError } from "../../src/client/mod.ts";
import { withoutStack } from "../../src/telemetry/mod.ts";

Deno.test("an error without a stack has the class and the fields of its like", () => {
  const options = { status: 404, id: 7, details: undefined, retryAfterMs: undefined };
  const like = new EngineError("not_found", "There is no document 7", options);
  const error = withoutStack(EngineError, {
    ...options,
    name: "EngineError",
    code: "not_found",
    message: like.message,
  });
  assert(error instanceof EngineError && error instanceof Error);
  assertEquals({ ...error }, { ...like, message: like.message });
  assertEquals(`${error}`, `${like}`);
  assertMatch(String(like.stack), /without_stack_test/);
  assertEquals(error.stack, undefined);
});
