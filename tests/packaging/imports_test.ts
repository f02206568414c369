import { assertEquals } from "@std/assert";
import { filesBelow, read } from "./repository.ts";

/**
 * What each folder of src may import of its siblings, in the order of the data flow; `config` and `version` are files.
 * The table has no cycle, so neither have the folders.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
  std: [],
  version: [],
  config: [],
  contract: [],
  telemetry: [],
  text: [],
  collections: [],
  web: ["std"],
  uploads: ["telemetry", "web"],
  client: ["contract", "telemetry", "web"],
  evaluation: ["client", "contract"],
  engine: ["contract", "telemetry", "text", "std", "web"],
  tools: ["client", "collections", "uploads", "contract", "telemetry", "text"],
  resources: ["tools", "client", "collections", "contract", "text"],
  prompts: ["tools", "resources", "collections", "contract"],
  mcp: ["tools", "resources", "prompts", "telemetry"],
  http: ["mcp", "uploads", "telemetry", "std", "version", "web"],
  cli: [
    "resources",
    "prompts",
    "http",
    "mcp",
    "tools",
    "uploads",
    "collections",
    "evaluation",
    "client",
    "engine",
    "contract",
    "telemetry",
    "config",
    "version",
  ],
};

interface Import {
  readonly from: string;
  readonly to: string;
  /** Whether only types are taken, which leaves nothing at run time. */
  readonly typeOnly: boolean;
}

/** Statements start a line, so that the examples in doc comments (` * import …`) are not among them. */
const STATIC = /^(?:import|export)\b(?<clause>[^;"'`]*?)["'](?<specifier>[^"']+)["']/gm;
const DYNAMIC = /^(?!\s*(?:\*|\/\/)).*\bimport\((?<argument>[^)]*)\)/gm;

/** The imports that a source names, and the arguments of `import()` that are no literal. */
function parseImports(path: string, source: string): { imports: Import[]; computed: string[] } {
  const imports: Import[] = [];
  const computed: string[] = [];
  for (const { groups } of source.matchAll(STATIC)) {
    const clause = groups?.clause ?? "";
    if (clause.trim() !== "" && !/\bfrom\s*$/.test(clause)) continue;
    imports.push({ from: path, to: groups?.specifier ?? "", typeOnly: /^\s+type\b/.test(clause) });
  }
  for (const { groups } of source.matchAll(DYNAMIC)) {
    const literal = /^\s*["']([^"']+)["']\s*$/.exec(groups?.argument ?? "");
    if (literal) imports.push({ from: path, to: literal[1] ?? "", typeOnly: false });
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

/** Path of a relative specifier, or the specifier of a package; our stand-ins for `@std` are files of ours. */
function resolve(from: string, specifier: string): string {
  if (specifier.startsWith("@std/crypto")) return "src/std/timing_safe_equal.ts";
  if (!specifier.startsWith(".")) return specifier;
  return new URL(specifier, `file:///${from}`).pathname.slice(1);
}

/** `src/tools/define.ts` is in `tools`, `src/config.ts` is `config`. */
function layer(path: string): string | undefined {
  return /^src\/([^/.]+)/.exec(path)?.[1];
}

Deno.test("imports run one way, along the data flow", async () => {
  const { imports } = await sourceImports();
  const wrong = imports.filter(({ from, to }) => {
    const [source, target] = [layer(from) ?? "", layer(to)];
    return target !== undefined && target !== source && !MAY_IMPORT[source]?.includes(target);
  });
  assertEquals(wrong.map(({ from, to }) => `${from} imports ${to}`), []);
});

Deno.test("every folder of src stands in the import table, and the table in src", async () => {
  const layers = new Set((await filesBelow("src")).map(layer));
  assertEquals([...layers].sort(), Object.keys(MAY_IMPORT).sort());
});

Deno.test("sources import sources and packages only: no tests, scripts or files beside them", async () => {
  const { imports } = await sourceImports();
  const outside = imports.filter(({ from, to }) =>
    resolve(from, to) === to && /^(?:tests|scripts|main\.ts)/.test(to)
  );
  assertEquals(outside.map(({ from, to }) => `${from} imports ${to}`), []);
});

Deno.test("no file imports itself through others", async () => {
  const { imports } = await sourceImports();
  const edges = Map.groupBy(imports.filter(({ typeOnly, to }) => !typeOnly && layer(to)), ({ from }) => from);
  const finished = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]) => {
    if (trail.includes(path)) {
      return void cycles.push([...trail.slice(trail.indexOf(path)), path].join(" → "));
    }
    if (finished.has(path)) return;
    for (const { to } of edges.get(path) ?? []) visit(to, [...trail, path]);
    finished.add(path);
  };
  for (const path of edges.keys()) visit(path, []);
  assertEquals(cycles, []);
});

Deno.test("every import() names its module literally, so that the bundle holds it", async () => {
  assertEquals((await sourceImports()).computed, []);
});

Deno.test("the parser of this test sees every form of import and no example in a comment", () => {
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
    ' * import { x } from "./example.ts";',
    ' * const y = await import("./example.ts");',
    'export const accept = "*/*";',
    'export const text = "from";',
  ].join("\n");
  const { imports, computed } = parseImports("src/x/y.ts", source);
  assertEquals(imports.map(({ to, typeOnly }) => `${to}${typeOnly ? " (type)" : ""}`), [
    "./a.ts",
    "./b.ts",
    "./c.ts (type)",
    "./d.ts",
    "./e.ts (type)",
    "./f.ts",
    "./g.ts",
  ]);
  assertEquals(computed, ["src/x/y.ts: import(name)"]);
});
