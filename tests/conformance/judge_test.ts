import { assertEquals, assertThrows } from "@std/assert";
import { type Check, judge, parseChecks } from "./judge.ts";

const ok: Check = { id: "a", status: "SUCCESS" };
const bad: Check = { id: "b", status: "FAILURE", errorMessage: "no" };
const none = new Map<string, string>();

Deno.test("a scenario passes when checks succeeded, none failed and the suite ended well", () => {
  const { outcome, checks } = judge([ok, { id: "c", status: "SKIPPED" }], 0, none);
  assertEquals({ outcome, checks }, { outcome: "pass", checks: 1 });
});

Deno.test("a scenario fails when", async (t) => {
  const cases: readonly [string, readonly Check[], number, ReadonlyMap<string, string>, string[]][] = [
    ["a check failed", [ok, bad], 1, none, ["FAILURE b: no"]],
    [
      "a check warned, which the suite itself lets pass",
      [ok, { id: "w", status: "WARNING", errorMessage: "hm" }],
      0,
      none,
      ["WARNING w: hm"],
    ],
    ["nothing was checked", [], 0, none, ["no check succeeded"]],
    [
      "only the form of the messages was checked",
      [{ id: "wire-schema-valid", status: "SUCCESS" }],
      0,
      none,
      ["no check succeeded"],
    ],
    ["the suite broke off", [ok], 1, none, ["the suite ended with status 1 after 0 failed checks"]],
    [
      "an exception is out of date",
      [ok],
      0,
      new Map([["b", "why"]]),
      ["b: excused, but it did not fail; take it out of the exceptions"],
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

Deno.test("an excused check may fail, and its reason is told", () => {
  const { outcome, exceptions } = judge([ok, bad], 1, new Map([["b", "why"]]));
  assertEquals({ outcome, exceptions }, { outcome: "pass", exceptions: ["why"] });
});

Deno.test("warnings are counted, the excused ones too", () => {
  const { outcome, warnings } = judge([ok, { id: "w", status: "WARNING" }], 0, new Map([["w", "why"]]));
  assertEquals({ outcome, warnings }, { outcome: "pass", warnings: 1 });
});

Deno.test("results that are no list of checks are refused", () => {
  for (const json of ["{}", "[1]", '[{"id":"a"}]', '[{"id":"a","status":"GREAT"}]']) {
    assertThrows(() => parseChecks(json), TypeError);
  }
});
