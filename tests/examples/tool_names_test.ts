import { assert } from "@std/assert";
import { tools } from "../../src/tools/mod.ts";
import { filesBelow, read } from "../packaging/repository.ts";

Deno.test("the examples name only existing tools", async () => {
  const names = new Set(tools.map(({ name }) => name));
  for (const path of await filesBelow("examples")) {
    for (const [name] of (await read(path)).matchAll(/\bkb_[a-z_]+/g)) {
      assert(names.has(name), `${path}: ${name}`);
    }
  }
});
