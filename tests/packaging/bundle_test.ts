import { assertEquals, assertMatch } from "@std/assert";
import { embedWasm, finish, lackingExports, minify } from "../../scripts/bundle.ts";
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
});

Deno.test("a bundle imports what is not a plain function as the program does", () => {
  for (
    const [names, module] of [
      ["createGzip as g,constants as c", "zlib"],
      ["Gzip as g", "zlib"],
      ["relative as r,sep as s", "path"],
      ["posix as p", "path"],
      ["inspect as i", "util"],
      ["promisify", "util"],
      ["webcrypto", "crypto"],
      ["missing", "path"],
      ["DatabaseSync as D", "sqlite"],
    ]
  ) {
    const statement = `import{${names}}from"node:${module}";`;
    assertEquals(finish(statement), statement);
  }
});

Deno.test("a bundle contains the WebAssembly that a package reads from its folder", async () => {
  const code = await embedWasm('var b=$r(a(new URL("./browser/index_bg.wasm",import.meta.url)));');
  const bytes = new Function(`${code}return b`)();
  assertEquals([code.includes("URL"), WebAssembly.validate(new Uint8Array(bytes))], [false, true]);
  assertEquals(await embedWasm("var b=1;"), "var b=1;");
});

Deno.test("a bundle is refused if an import() of a CommonJS package wants its named exports", () => {
  const library = "var a=b((c,d)=>{d.parse=1});export default a();\n";
  const sources = (importer: string) => new Map([["dist-A1.js", library], ["main.js", importer]]);
  assertEquals(lackingExports(sources('let{parse:p}=await import(String("./dist-A1.js"));')), ["dist-A1.js"]);
  assertEquals(lackingExports(sources('y??=await import(String("./dist-A1.js"));')), ["dist-A1.js"]);
  assertEquals(lackingExports(sources('let{default:p}=await import(String("./dist-A1.js"));')), []);
  assertEquals(lackingExports(sources('import p from"./dist-A1.js";')), []);
});

Deno.test("a minified file releases what a single statement uses", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(
      `${folder}/file.js`,
      "export function sync(path) {\n  using file = Deno.openSync(path);\n  file.syncSync();\n}\n",
    );
    await minify(folder);
    const code = await Deno.readTextFile(`${folder}/file.js`);
    assertMatch(code, /using (\w)=Deno\.openSync\(\w\);\1\.syncSync\(\)/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
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
