import { assertEquals } from "@std/assert";
import { embedWasm, finish } from "../../scripts/bundle.ts";
import { filesBelow, read } from "./repository.ts";

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

Deno.test("a bundle loads node:crypto, node:path and node:zlib on the first call of their functions", () => {
  const code = finish('import{join as j,basename}from"node:path";');
  const { join, basename } = new Function(`${code}return{join:j,basename}`)();
  assertEquals([join("a", "b"), basename("a/b.txt")], ["a/b", "b.txt"]);
  assertEquals(code.includes("import"), false);
  const zlib = finish('import{crc32 as C}from"node:zlib";');
  assertEquals(new Function(`${zlib}return C("a")`)(), 0xe8b7be43);
  for (const imported of ["createGzip as g,constants as c", "constants", "Gzip as g"]) {
    const others = `import{${imported}}from"node:zlib";`;
    assertEquals(finish(others), others);
  }
  const classes = 'import{DatabaseSync as D}from"node:sqlite";';
  assertEquals(finish(classes), classes);
});

Deno.test("a bundle contains the WebAssembly that a package reads from its folder", async () => {
  const code = await embedWasm('var b=$r(a(new URL("./browser/index_bg.wasm",import.meta.url)));');
  const bytes = new Function(`${code}return b`)();
  assertEquals([code.includes("URL"), WebAssembly.validate(new Uint8Array(bytes))], [false, true]);
  assertEquals(await embedWasm("var b=1;"), "var b=1;");
});

Deno.test("a bundle is ASCII", () => {
  assertEquals(finish('var dash="–";'), 'var dash="\\u2013";');
});

Deno.test("sources import zod as a namespace, so that the bundle contains only the parts that they use", async () => {
  const paths = (await filesBelow("src")).filter((path) => path.endsWith(".ts"));
  const offenders: string[] = [];
  for (const path of paths) {
    if (/^import (?:type )?\{[^}]*\} from "zod"/m.test(await read(path))) offenders.push(path);
  }
  assertEquals(offenders, []);
});
