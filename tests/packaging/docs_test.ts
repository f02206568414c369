import { assert, assertEquals, assertThrows } from "@std/assert";
import { dirname, join, normalize } from "node:path/posix";
import { GENERATED, withGeneratedSections } from "../../scripts/generated_docs.ts";
import { type Setting, SETTINGS } from "../../src/config/mod.ts";
import * as contract from "../../src/contract/mod.ts";
import * as extraction from "../../src/extraction/limits.ts";
import { MAX_ID_CHARS, MAX_RESULT_CHARS, PROTOCOL_VERSIONS } from "../../src/mcp/mod.ts";
import { tools } from "../../src/tools/mod.ts";
import * as web from "../../src/web/mod.ts";
import { filesBelow, read } from "./repository.ts";

/** Without the vaults of tests, whose links are broken on purpose. */
const DOCUMENTS = (await filesBelow("")).filter((path) =>
  path.endsWith(".md") && !path.startsWith("tests/fixtures/")
);

/** Returns Markdown without its fenced code blocks. */
function prose(markdown: string): string {
  return markdown.replaceAll(/^```[^]*?^```/gm, "");
}

/** Returns the fenced code blocks of a language. */
function codeBlocks(markdown: string, language: string): string[] {
  return [...markdown.matchAll(/^```(\w+)\n([^]*?)^```/gm)].flatMap(([, name, code = ""]) =>
    name === language ? [code] : []
  );
}

/** Returns the anchors that GitHub generates for the headings. */
function anchors(markdown: string): string[] {
  return [...prose(markdown).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-")
  );
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(new URL(`../../${path}`, import.meta.url));
    return true;
  } catch {
    return false;
  }
}

Deno.test("every relative link in the documentation leads to a file and a heading that exist", async () => {
  const broken: string[] = [];
  let count = 0;
  for (const document of DOCUMENTS) {
    for (const [, link = ""] of prose(await read(document)).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      count++;
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? document : normalize(join(dirname(document), path));
      if (!await exists(target)) broken.push(`${document}: ${link}`);
      else if (anchor !== undefined && !anchors(await read(target)).includes(anchor)) {
        broken.push(`${document}: ${link}`);
      }
    }
  }
  assert(count > 50, `${count} links`);
  assertEquals(broken, []);
});

Deno.test("every path of this repository that the documentation names exists", async () => {
  const missing: string[] = [];
  for (const document of DOCUMENTS) {
    const paths = (await read(document)).matchAll(
      /`((?:src|tests|scripts|docs|examples)\/[\w./-]+|\.ci\/run)`/g,
    );
    for (const [, path = ""] of paths) {
      if (!await exists(path)) missing.push(`${document}: ${path}`);
    }
  }
  assertEquals(missing, []);
});

Deno.test("every page of docs is linked from README.md, and every decision from its index", async () => {
  const readme = await read("README.md");
  const index = await read("docs/decisions/README.md");
  for (const path of await filesBelow("docs")) {
    if (path.startsWith("docs/decisions/d")) {
      assert(index.includes(`](${path.slice("docs/decisions/".length)})`), path);
    } else assert(readme.includes(`](${path})`), path);
  }
});

Deno.test("docs/architecture.md describes every folder of src and of src/engine", async () => {
  const text = await read("docs/architecture.md");
  const sources = await filesBelow("src");
  const folders = new Set(sources.flatMap((path) => /^src\/\w+(?=\/)/.exec(path)?.[0] ?? []));
  assertEquals([...folders].filter((folder) => !text.includes(`\`${folder}\``)), []);
  const layers = new Set(sources.flatMap((path) => /^src\/engine\/(\w+)\//.exec(path)?.[1] ?? []));
  assertEquals([...layers].filter((layer) => !text.includes(`["${layer}: `)), []);
});

Deno.test("every decision that the code cites has a record", async () => {
  const index = await read("docs/decisions/README.md");
  for (const path of [...await filesBelow("src"), ...await filesBelow("tests")]) {
    if (!path.endsWith(".ts")) continue;
    for (const [, id] of (await read(path)).matchAll(/\bdecision (D\d+)\b/gi)) {
      assert(index.includes(`| [${id}](`), `${path} cites ${id}`);
    }
  }
});

Deno.test("the generated sections match the code (else: deno task docs)", async () => {
  for (const path of Object.keys(GENERATED)) {
    const text = await read(path);
    assertEquals(text.split("\n"), withGeneratedSections(path, text).split("\n"), path);
  }
});

Deno.test("the generated sections contain every setting and every tool", async () => {
  const configuration = await read("docs/configuration.md");
  for (const name of Object.keys(SETTINGS)) assert(configuration.includes(`\n| \`${name}\` |`), name);
  const reference = await read("docs/tools.md");
  for (const { name } of tools) assert(reference.includes(`\n| \`${name}\` |`), name);
});

Deno.test("a document without its marker is an error that names the marker", () => {
  const error = assertThrows(() => withGeneratedSections("docs/tools.md", "# Tools\n"), Error);
  assert(error.message.includes("<!-- generated:tools -->"), error.message);
});

Deno.test("every task that the documentation, workflows and Dockerfile name exists", async () => {
  const { tasks } = JSON.parse(await read("deno.json"));
  const files = [...DOCUMENTS, ...await filesBelow(".github"), "Dockerfile", ".ci/run"];
  let count = 0;
  for (const path of files) {
    for (const [, name = ""] of (await read(path)).matchAll(/\bdeno(?:@[\w.]+)? task (\w+(?:[:-]\w+)*)/g)) {
      count++;
      assert(name in tasks, `${path} names the task ${name}`);
    }
  }
  assert(count > 10, `${count} tasks`);
});

Deno.test("commands in the documentation run Deno through npx, which needs no installation of it", async () => {
  const broken: string[] = [];
  for (const path of DOCUMENTS) {
    for (const language of ["sh", "console"]) {
      for (const code of codeBlocks(await read(path), language)) {
        const lines = code.split("\n").filter((line) => /^(?:[^#]*[ ;|&])?deno /.test(line));
        broken.push(...lines.map((line) => `${path}: ${line}`));
      }
    }
  }
  assertEquals(broken, []);
});

Deno.test("every KB_ variable that the documentation, Dockerfile and compose.yaml name is a setting", async () => {
  const settings: Record<string, Setting> = SETTINGS;
  for (const path of [...DOCUMENTS, "Dockerfile", "compose.yaml"]) {
    const names = new Set((await read(path)).match(/\bKB_[A-Z][A-Z_]*[A-Z]\b/g) ?? []);
    const unknown = [...names].filter((name) =>
      !(name in settings) && !settings[name.replace(/_FILE$/, "")]?.secret && name !== "KB_TEST_DATA"
    );
    assertEquals(unknown, [], path);
  }
});

Deno.test("docs/architecture.md gives a reason for every npm package in the import map", async () => {
  const { imports } = JSON.parse(await read("deno.json")) as { imports: Record<string, string> };
  const packages = Object.values(imports).flatMap((target) => /^npm:\/?(@?[^@]+)@/.exec(target)?.[1] ?? []);
  assert(packages.length > 0);
  const [, dependencies = ""] = (await read("docs/architecture.md")).split("## Dependencies");
  assertEquals(packages.filter((name) => !dependencies.includes(`\`${name}\``)), []);
});

Deno.test("docs/limits.md states the limits of the contract and of extraction", async () => {
  const text = await read("docs/limits.md");
  const count = (value: number) => value.toLocaleString("en-US");
  const mebibytes = (bytes: number) => `${bytes / 2 ** 20} MiB`;
  const rows: [what: string, limit: string][] = [
    ["text of a note", `${count(contract.MAX_NOTE_CHARS)} characters`],
    ["extracted text of a file", `${count(extraction.MAX_TEXT_CHARS)} characters`],
    ["query", `${count(contract.MAX_QUERY_CHARS)} characters`],
    ["results per page", count(contract.MAX_TOP)],
    ["rows per page of a listing", count(contract.MAX_PAGE)],
    [
      "title, `source_path`",
      `${count(contract.MAX_TITLE_CHARS)} and ${count(contract.MAX_SOURCE_PATH_CHARS)} `,
    ],
    [
      "XML of an Office, OpenDocument or EPUB file",
      `${mebibytes(extraction.MAX_XML_BYTES)} unpacked, ${extraction.MAX_XML_DEPTH} levels`,
    ],
    ["HTML", `${count(extraction.MAX_HTML_TAGS)} tags, ${count(extraction.MAX_HTML_OPEN)} open`],
    ["large request bodies and responses in memory", mebibytes(web.MAX_BUFFERED_BYTES)],
    [
      `JSON bodies over ${web.UNLIMITED_JSON_BYTES / 2 ** 10} KiB`,
      `${count(web.MAX_JSON_VALUES)} values, ${web.MAX_JSON_DEPTH} levels`,
    ],
    ["id of a request", `${count(MAX_ID_CHARS)} characters`],
    ["result of a tool", `${mebibytes(MAX_RESULT_CHARS)} as JSON`],
    ["YAML or TOML front matter", `${count(extraction.MAX_FRONT_MATTER_CHARS)} characters`],
  ];
  for (const [what, limit] of rows) {
    const row = text.split("\n").find((line) => line.startsWith(`| ${what} `));
    assert(row?.includes(`| ${limit}`), `${what}: ${limit}`);
  }
});

Deno.test("docs/protocol.md lists the supported protocol versions", async () => {
  const [introduction = ""] = (await read("docs/protocol.md")).split("\n## ");
  const listed = [...introduction.matchAll(/\d{4}-\d\d-\d\d/g)].map(([version]) => version);
  assertEquals([...new Set(listed)], [...PROTOCOL_VERSIONS]);
});

Deno.test("every JSON snippet in the documentation is valid JSON", async () => {
  for (const path of DOCUMENTS) {
    for (const code of codeBlocks(await read(path), "json")) JSON.parse(code);
  }
});

Deno.test("README.md is short", async () => {
  const lines = (await read("README.md")).split("\n").length;
  assert(lines <= 140, `${lines} lines`);
});
