import { assertEquals } from "@std/assert";
import { JsonStructureScan } from "../../src/web/json_structure.ts";

const cases: [name: string, text: string, problem: "an array" | "too complex" | undefined][] = [
  ["an object", '{"a":[1,2,{"b":null}]}', undefined],
  ["white space", " \r\n\t", undefined],
  ["an object after white space", ' \n{"a":1}', undefined],
  ["an array", "[1]", "an array"],
  ["an array after white space", "  [", "an array"],
  ["a string", '"[["', undefined],
  ["64 levels", `{"a":${"[".repeat(63)}${"]".repeat(63)}}`, undefined],
  ["65 levels", `{"a":${"[".repeat(64)}${"]".repeat(64)}}`, "too complex"],
  ["10,000 values", `{"a":[${"1,".repeat(9_998)}1]}`, undefined],
  ["10,001 values", `{"a":[${"1,".repeat(9_999)}1]}`, "too complex"],
  ["10,001 empty objects in a row", `{"a":[${"{}".repeat(10_001)}]}`, "too complex"],
  ["10,001 members", `{${'"a":1,'.repeat(10_000)}"a":1}`, "too complex"],
  ["a string of structure", `{"a":"${"[{,".repeat(20_000)}"}`, undefined],
  ["a string of escapes", `{"a":"${'\\\\\\"['.repeat(20_000)}"}`, undefined],
  ["structure after a string that ends in a backslash", `{"a":"x\\\\","b":${"[".repeat(64)}`, "too complex"],
  ["an escaped quote before structure", `{"a":"x\\"${"[".repeat(64)}`, undefined],
];

const bytesOf = (text: string) => new TextEncoder().encode(text);

for (const [name, text, problem] of cases) {
  Deno.test(`JsonStructureScan reports ${problem ?? "nothing"} for ${name}, however it is split`, () => {
    const bytes = bytesOf(text);
    for (const size of [bytes.length, 1, 2, 3, 1000]) {
      const scan = new JsonStructureScan();
      let found: ReturnType<typeof scan.push>;
      for (let i = 0; i < bytes.length && !found; i += size) found = scan.push(bytes.subarray(i, i + size));
      assertEquals(found, problem, `parts of ${size} bytes`);
    }
  });
}
