import { assertEquals, assertThrows } from "@std/assert";
import { type Check, judge, parseChecks } from "./judge.ts";

const ok: Check = { id: "a", status: "SUCCESS" };
const bad: Check = { id: "b", status: "FAILURE", errorMessage: "no" };
const noExceptions = new Map<string, string>();

Deno.test("a scenario passes if a check succeeded, none failed and the exit status is 0", () => {
  const { outcome, checks } = judge([ok, { id: "c", status: "SKIPPED" }], 0, noExceptions);
  assertEquals({ outcome, checks }, { outcome: "pass", checks: 1 });
});

Deno.test("a scenario fails for each of these reasons", async (t) => {
  const cases: readonly [string, readonly Check[], number, ReadonlyMap<string, string>, string[]][] = [
    ["a check failed", [ok, bad], 1, noExceptions, ["FAILURE b: no"]],
    [
      "a check warned",
      [ok, { id: "w", status: "WARNING", errorMessage: "hm" }],
      0,
      noExceptions,
      ["WARNING w: hm"],
    ],
    ["nothing was checked", [], 0, noExceptions, ["no check succeeded"]],
    [
      "only message schemas were checked",
      [{ id: "wire-schema-valid", status: "SUCCESS" }],
      0,
      noExceptions,
      ["no check succeeded"],
    ],
    ["the suite crashed", [ok], 1, noExceptions, ["the suite ended with status 1 after 0 failed checks"]],
    [
      "an exception was not needed",
      [ok],
      0,
      new Map([["b", "why"]]),
      ["b: excused, but it did not fail; remove it from the exceptions"],
    ],
  ];
  for (const [name, checks, code, excused, problems] of cases) {
    await t.step(name, () => {
      const verdict = judge(checks, code, excused);
      assertEquals(verdict.outcome, "FAIL");
      assertEquals(verdict.problems, problems);
    });
  }
});

Deno.test("an excused check may fail, and its reason is reported", () => {
  const { outcome, exceptions } = judge([ok, bad], 1, new Map([["b", "why"]]));
  assertEquals({ outcome, exceptions }, { outcome: "pass", exceptions: ["why"] });
});

Deno.test("warnings are counted, including excused ones", () => {
  const { outcome, warnings } = judge([ok, { id: "w", status: "WARNING" }], 0, new Map([["w", "why"]]));
  assertEquals({ outcome, warnings }, { outcome: "pass", warnings: 1 });
});

Deno.test("results other than a list of checks are rejected", () => {
  for (const json of ["{}", "[1]", '[{"id":"a"}]', '[{"id":"a","status":"GREAT"}]']) {
    assertThrows(() => parseChecks(json), TypeError);
  }
});
