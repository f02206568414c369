import { assertEquals } from "@std/assert";
import { filesBelow, read } from "./repository.ts";

/**
 * Access to a member whose name begins with an underscore, such as `server._onrequest` or
 * `server["_onrequest"]`. Such members of dependencies are private and change without notice; our own private
 * members begin with `#`.
 *
 * Public by specification despite their names: `_meta` (MCP) and `__proto__` and the like (ECMAScript).
 */
const PRIVATE_MEMBER = /(?<![\w$])[\w$)\]]*(?:\?\.|\.|\?\.\[["'`]|\[["'`])_(?!_|meta\b)\w+/g;

/**
 * Returns the private members that a source accesses. Comments and strings with spaces around the name do not
 * match.
 */
function privateMembers(source: string): string[] {
  const code = source.replace(/\/\*[^]*?\*\/|(?<![:"'`\w])\/\/.*$/gm, "");
  return [...code.matchAll(PRIVATE_MEMBER)].map(([access]) => access);
}

Deno.test("no source accesses a private member of a dependency", async () => {
  const hits: string[] = [];
  for (const path of ["main.ts", ...await filesBelow("src"), ...await filesBelow("scripts")]) {
    if (!path.endsWith(".ts")) continue;
    hits.push(...privateMembers(await read(path)).map((access) => `${path}: ${access}`));
  }
  assertEquals(hits, []);
});

for (
  const source of [
    "server._onrequest(message)",
    'server["_onrequest"](message)',
    "this.#server['_negotiatedWireCodec']()",
    "schema?._def",
    "schema?.[`_zod`]",
  ]
) {
  Deno.test(`${source} is private access`, () => assertEquals(privateMembers(source).length, 1));
}

for (
  const source of [
    'params["_meta"]',
    "params._meta",
    "value.__proto__",
    "const _unused = 1",
    "({ key: _, ...rest })",
    'word_list["a_b"]',
    "// server._onrequest",
    "/** `server._onrequest` */",
  ]
) {
  Deno.test(`${source} is no private access`, () => assertEquals(privateMembers(source), []));
}
