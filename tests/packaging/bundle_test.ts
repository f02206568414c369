import { assertEquals } from "@std/assert";
import { finish } from "../../scripts/bundle.ts";

Deno.test("a bundled import() is hidden from the module graph that Deno loads at start", () => {
  assertEquals(
    finish('const{serve:s}=await import("./serve-X1.js");'),
    'const{serve:s}=await import(String("./serve-X1.js"));',
  );
  assertEquals(finish('import("node:worker_threads")'), 'import("node:worker_threads")');
});

Deno.test("a bundle loads node:module only when a package calls require", () => {
  assertEquals(
    finish(
      'import{createRequire as __deno_internal_createRequire} from "node:module";' +
        "var m=__deno_internal_createRequire(import.meta.url);var n=1;",
    ),
    "var m=(id)=>process.getBuiltinModule(id);var n=1;",
  );
});

Deno.test("a bundle is ASCII", () => {
  assertEquals(finish('var dash="–";'), 'var dash="\\u2013";');
});
