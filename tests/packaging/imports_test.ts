import { assert, assertEquals } from "@std/assert";
import { filesBelow, read } from "./repository.ts";

/** Layers of a folder, each with the layers it may import. */
type ImportTable = Readonly<Record<string, readonly string[]>>;

/** Layers of src, in the order of the data flow; `version` is a file. */
const SOURCE: ImportTable = {
  std: [],
  version: [],
  config: ["text"],
  contract: [],
  telemetry: [],
  text: [],
  data_structures: [],
  async: ["data_structures"],
  folder: ["text"],
  crawler: ["async"],
  collections: ["contract", "text"],
  web: ["std", "telemetry", "text"],
  keys: ["telemetry", "text", "web"],
  http1: ["async", "telemetry", "text", "web"],
  analysis: ["data_structures", "text"],
  extraction: ["contract", "text"],
  extraction_process: ["extraction", "contract"],
  encoder: [],
  models: ["encoder", "async", "telemetry"],
  embeddings: ["encoder", "models", "async", "data_structures", "telemetry", "web"],
  uploads: ["telemetry", "text", "web"],
  presentation: ["contract", "text"],
  client: ["contract", "collections", "presentation", "telemetry", "text", "web"],
  evaluation: ["async", "client", "contract"],
  vault: ["contract", "text"],
  engine: [
    "folder",
    "crawler",
    "extraction",
    "extraction_process",
    "embeddings",
    "analysis",
    "async",
    "data_structures",
    "contract",
    "presentation",
    "telemetry",
    "text",
    "web",
    "std",
  ],
  tools: ["client", "keys", "presentation", "collections", "uploads", "contract", "telemetry", "text"],
  transfer: ["tools", "client", "collections", "extraction", "folder", "vault", "contract", "text"],
  resources: ["tools", "client", "collections", "contract", "text"],
  prompts: ["keys", "tools", "resources", "collections", "contract", "text"],
  source_tools: ["async", "tools", "client", "collections", "vault", "contract", "text"],
  chatgpt: ["resources", "tools", "collections", "contract", "text"],
  mcp: ["keys", "tools", "resources", "prompts", "data_structures", "telemetry", "text"],
  page: ["web"],
  http: ["keys", "mcp", "page", "uploads", "telemetry", "text", "std", "version", "web"],
  cli: [
    "async",
    "chatgpt",
    "source_tools",
    "vault",
    "resources",
    "prompts",
    "http",
    "http1",
    "keys",
    "mcp",
    "tools",
    "uploads",
    "collections",
    "evaluation",
    "transfer",
    "client",
    "crawler",
    "models",
    "engine",
    "async",
    "extraction",
    "extraction_process",
    "folder",
    "contract",
    "telemetry",
    "config",
    "text",
    "version",
    "web",
  ],
};

/**
 * Layers of src/engine, from the bottom up. `http` and `ingestion` reach storage through the `knowledge_base`
 * interface only; `engine` (the files directly in src/engine) is the composition root.
 */
const ENGINE: ImportTable = {
  knowledge_base: [],
  search: ["knowledge_base"],
  text_edits: ["knowledge_base"],
  "sqlite/text_packing": [],
  "sqlite/store": ["sqlite/text_packing", "knowledge_base", "text_edits"],
  "sqlite/index": ["sqlite/store", "search"],
  "sqlite/vectors": ["sqlite/store", "search"],
  "sqlite/backfill": ["sqlite/store"],
  "sqlite/writer": ["sqlite/store", "sqlite/text_packing", "sqlite/backfill", "knowledge_base"],
  "sqlite/recovery": ["sqlite/store", "sqlite/text_packing"],
  "sqlite/preparation": ["sqlite/store", "knowledge_base"],
  "sqlite/search": ["sqlite/index", "sqlite/store", "search", "knowledge_base"],
  "sqlite/search_threads": ["sqlite/search", "sqlite/vectors", "sqlite/store", "search", "knowledge_base"],
  sqlite: [
    "sqlite/search_threads",
    "sqlite/writer",
    "sqlite/preparation",
    "sqlite/vectors",
    "sqlite/backfill",
    "sqlite/recovery",
    "sqlite/store",
    "search",
    "knowledge_base",
  ],
  ingestion: ["knowledge_base"],
  sources: ["ingestion", "knowledge_base"],
  http: ["sources", "ingestion", "knowledge_base"],
  engine: [
    "http",
    "sources",
    "ingestion",
    "sqlite",
    "sqlite/writer",
    "sqlite/preparation",
    "sqlite/vectors",
    "sqlite/search_threads",
  ],
};

interface Import {
  readonly from: string;
  readonly to: string;
  /** Whether only types are imported, which does not load the module. */
  readonly typeOnly: boolean;
  /** Whether the module is loaded on demand, by `import()`. */
  readonly lazy: boolean;
}

/** Statements start a line, which excludes the examples in doc comments (` * import …`). */
const STATIC = /^(?:import|export)\b(?<clause>[^;"'`]*?)["'](?<specifier>[^"']+)["']/gm;
const DYNAMIC = /^(?!\s*(?:\*|\/\/)).*\bimport\((?<argument>[^)]*)\)/gm;

/** Returns the imports of a source, and the arguments of `import()` that are not literals. */
function parseImports(path: string, source: string): { imports: Import[]; computed: string[] } {
  const imports: Import[] = [];
  const computed: string[] = [];
  for (const { groups } of source.matchAll(STATIC)) {
    const clause = groups?.clause ?? "";
    if (clause.trim() !== "" && !/\bfrom\s*$/.test(clause)) continue;
    imports.push({
      from: path,
      to: groups?.specifier ?? "",
      typeOnly: /^\s+type\b/.test(clause),
      lazy: false,
    });
  }
  for (const { groups } of source.matchAll(DYNAMIC)) {
    const literal = /^\s*["']([^"']+)["']\s*(?:,\s*\{.*\}\s*)?$/.exec(groups?.argument ?? "");
    if (literal) imports.push({ from: path, to: literal[1] ?? "", typeOnly: false, lazy: true });
    else computed.push(`${path}: import(${groups?.argument})`);
  }
  return { imports, computed };
}

async function sourceImports(): Promise<{ imports: Import[]; computed: string[] }> {
  const all: { imports: Import[]; computed: string[] } = { imports: [], computed: [] };
  for (const path of (await filesBelow("src")).filter((path) => path.endsWith(".ts"))) {
    const { imports, computed } = parseImports(path, await read(path));
    for (const { to, ...rest } of imports) all.imports.push({ ...rest, to: resolve(path, to) });
    all.computed.push(...computed);
  }
  return all;
}

/** Returns the imports that load a module with the importing one, by the latter. */
async function eagerImports(): Promise<Map<string, Import[]>> {
  const { imports } = await sourceImports();
  return Map.groupBy(imports.filter(({ typeOnly, lazy }) => !typeOnly && !lazy), ({ from }) => from);
}

/** Returns the modules that the threads of the engine load. */
async function threadEntries(): Promise<string[]> {
  const { imports } = await sourceImports();
  return imports.filter(({ from, lazy }) => from === "src/engine/worker.ts" && lazy).map(({ to }) => to);
}

/**
 * Resolves a specifier to a path of this repository (also for the `@std` stand-ins), or returns that of a
 * package.
 */
function resolve(from: string, specifier: string): string {
  if (specifier.startsWith("@std/crypto")) return "src/std/timing_safe_equal.ts";
  if (!specifier.startsWith(".")) return specifier;
  return new URL(specifier, `file:///${from}`).pathname.slice(1);
}

/** `src/tools/tool.ts` is in `tools`, `src/version.ts` is `version`. */
function sourceLayer(path: string): string | undefined {
  return /^src\/([^/.]+)/.exec(path)?.[1];
}

/** `src/engine/sqlite/store/sql.ts` is in `sqlite/store`, `src/engine/engine.ts` in `engine`. */
function engineLayer(path: string): string | undefined {
  const [, folder] = /^src\/engine\/(?:(.+)\/)?[^/]+$/.exec(path) ?? [];
  return path.startsWith("src/engine/") ? folder ?? "engine" : undefined;
}

/** Describes every import that a table does not allow. */
function violations(
  imports: readonly Import[],
  table: ImportTable,
  layerOf: (path: string) => string | undefined,
): string[] {
  return imports.filter(({ from, to }) => {
    const [source, target] = [layerOf(from), layerOf(to)];
    return source !== undefined && target !== undefined && target !== source &&
      !table[source]?.includes(target);
  }).map(({ from, to }) => `${from} imports ${to}`);
}

/** Describes the shortest way by which a module loads another one. Undefined: it does not. */
function pathTo(
  target: string,
  entry: string,
  imports: ReadonlyMap<string, readonly Import[]>,
): string | undefined {
  const paths = new Map([[entry, entry]]);
  for (const [module, path] of paths) {
    if (module === target) return path;
    for (const { to } of imports.get(module) ?? []) {
      if (!paths.has(to)) paths.set(to, `${path} → ${to}`);
    }
  }
}

/** Describes every cycle of a graph, given as nodes with their successors. */
function cyclesOf(successors: ReadonlyMap<string, readonly string[]>): string[] {
  const finished = new Set<string>();
  const cycles: string[] = [];
  const visit = (node: string, trail: readonly string[]) => {
    if (trail.includes(node)) {
      return void cycles.push([...trail.slice(trail.indexOf(node)), node].join(" → "));
    }
    if (finished.has(node)) return;
    for (const next of successors.get(node) ?? []) visit(next, [...trail, node]);
    finished.add(node);
  };
  for (const node of successors.keys()) visit(node, []);
  return cycles;
}

Deno.test("imports between the layers of src follow the table", async () => {
  const { imports } = await sourceImports();
  assertEquals(violations(imports, SOURCE, sourceLayer), []);
});

Deno.test("imports between the layers of src/engine follow the table", async () => {
  const { imports } = await sourceImports();
  assertEquals(violations(imports, ENGINE, engineLayer), []);
});

Deno.test("the import tables list every layer and have no cycle", async () => {
  const files = (await filesBelow("src")).filter((path) => path.endsWith(".ts"));
  for (const [table, layerOf] of [[SOURCE, sourceLayer], [ENGINE, engineLayer]] as const) {
    const layers = new Set(files.map(layerOf).filter((layer) => layer !== undefined));
    assertEquals([...layers].sort(), Object.keys(table).sort());
    assertEquals(cyclesOf(new Map(Object.entries(table))), []);
  }
});

Deno.test("imports between the layers of src/engine, and from them into src, go through mod.ts or read_only.ts", async () => {
  const { imports } = await sourceImports();
  // The composition root starts each thread at its entry point, so that a thread loads only its own code.
  const isThreadEntry = ({ from, to }: Import) =>
    from === "src/engine/worker.ts" && /[/_]thread\.ts$/.test(to);
  const deep = imports.filter((each) =>
    each.from.startsWith("src/engine/") && /^src\/(?!std\/).*\//.test(each.to) &&
    !/\/(?:mod|store\/read_only)\.ts$/.test(each.to) &&
    (sourceLayer(each.to) !== "engine" || engineLayer(each.to) !== engineLayer(each.from)) &&
    !isThreadEntry(each)
  );
  assertEquals(deep.map(({ from, to }) => `${from} imports ${to}`), []);
});

Deno.test("threads of the engine and the extraction process start without zod, since their input is validated", async () => {
  const imports = await eagerImports();
  const threads = await threadEntries();
  assert(threads.length > 0);
  const entries = [
    ...threads,
    // The writer loads these with the built-in model.
    "src/engine/sqlite/writer/remote_model.ts",
    "src/engine/sqlite/backfill/mod.ts",
    "src/cli/mod.ts",
    "src/cli/extract_worker.ts",
    "src/extraction_process/worker.ts",
  ];
  assertEquals(entries.flatMap((entry) => pathTo("zod", entry, imports) ?? []), []);
});

Deno.test("only the writer thread loads the code that writes", async () => {
  const imports = await eagerImports();
  const readers = (await threadEntries()).filter((entry) => !entry.includes("/writer/"));
  const store = "src/engine/sqlite/store/mod.ts";
  assertEquals(readers.flatMap((entry) => pathTo(store, entry, imports) ?? []), []);
});

Deno.test("the writer thread loads of extraction only what notes need", async () => {
  const writer = "src/engine/sqlite/writer/thread.ts";
  assert((await threadEntries()).includes(writer));
  assertEquals(pathTo("src/extraction/mod.ts", writer, await eagerImports()), undefined);
});

Deno.test("no thread of the engine loads node:process, which takes as long as its own code", async () => {
  const imports = await eagerImports();
  const entries = await threadEntries();
  assertEquals(entries.flatMap((entry) => pathTo("node:process", entry, imports) ?? []), []);
});

Deno.test("only the SQLite back end, the tokenizer that it shares with analysis, and imports use node:sqlite", async () => {
  const { imports } = await sourceImports();
  const users = imports.filter(({ to }) => to === "node:sqlite").map(({ from }) => from);
  // The databases of other programs are in the format of SQLite, and are read from a copy.
  const others = ["src/analysis/stem.ts", "src/transfer/sqlite_copy.ts"];
  assertEquals(
    users.filter((path) => !path.startsWith("src/engine/sqlite/") && !others.includes(path)),
    [],
  );
});

Deno.test("sources import sources and packages only: no tests, scripts or other files", async () => {
  const { imports } = await sourceImports();
  const outside = imports.filter(({ from, to }) =>
    resolve(from, to) === to && /^(?:tests|scripts|main\.ts)/.test(to)
  );
  assertEquals(outside.map(({ from, to }) => `${from} imports ${to}`), []);
});

Deno.test("no file imports itself through others, not even for types", async () => {
  const { imports } = await sourceImports();
  const edges = Map.groupBy(imports.filter(({ to }) => sourceLayer(to)), ({ from }) => from);
  assertEquals(cyclesOf(new Map([...edges].map(([from, each]) => [from, each.map(({ to }) => to)]))), []);
});

Deno.test("every import() names its module literally, so that the bundle holds it", async () => {
  assertEquals((await sourceImports()).computed, []);
});

Deno.test("the parser of this test finds every form of import and ignores examples in comments", () => {
  const source = [
    'import { a } from "./a.ts";',
    "import {",
    "  b,",
    '} from "./b.ts";',
    'import type { C } from "./c.ts";',
    'export * from "./d.ts";',
    'export type { E } from "./e.ts";',
    'import "./f.ts";',
    'const g = await import("./g.ts");',
    "const h = await import(name);",
    'const i = await import("i", { with: { type: "json" } });',
    ' * import { x } from "./example.ts";',
    ' * const y = await import("./example.ts");',
    'export const accept = "*/*";',
    'export const text = "from";',
  ].join("\n");
  const { imports, computed } = parseImports("src/x/y.ts", source);
  const kind = ({ typeOnly, lazy }: Import) => typeOnly ? " (type)" : lazy ? " (lazy)" : "";
  assertEquals(imports.map((each) => each.to + kind(each)), [
    "./a.ts",
    "./b.ts",
    "./c.ts (type)",
    "./d.ts",
    "./e.ts (type)",
    "./f.ts",
    "./g.ts (lazy)",
    "i (lazy)",
  ]);
  assertEquals(computed, ["src/x/y.ts: import(name)"]);
});
