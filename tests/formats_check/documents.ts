/**
 * Documents of Debian's documentation packages, with the tool that each is compared with.
 *
 * @module
 */
import { gunzipSync } from "node:zlib";
import { basename, join } from "node:path";
import { runCommand } from "../../scripts/run_command.ts";

/** Command that extracts the text of a document, independently of this project. */
export type ReferenceTool = "pdftotext" | "pandoc" | "trafilatura";

/** A document to compare. */
export interface Document {
  /** Path inside of its package. */
  readonly path: string;
  readonly tool: ReferenceTool;
  /** Name with the extension of its format. */
  readonly filename: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Documents of one package: the first `max` that match, by path. */
interface Selection {
  readonly package: string;
  readonly pattern: RegExp;
  readonly tool: ReferenceTool;
  readonly max: number;
}

/** 60 documents: English and Japanese, set with LaTeX, Sphinx, DocBook and AsciiDoc. */
const SELECTIONS: readonly Selection[] = [
  { package: "debian-policy", pattern: /(?:policy|fhs-3\.0)\.pdf\.gz$/, tool: "pdftotext", max: 2 },
  { package: "debian-faq", pattern: /\.pdf\.gz$/, tool: "pdftotext", max: 1 },
  { package: "developers-reference", pattern: /\.pdf$/, tool: "pdftotext", max: 1 },
  { package: "developers-reference-ja", pattern: /\.pdf$/, tool: "pdftotext", max: 1 },
  { package: "maint-guide-ja", pattern: /\.pdf$/, tool: "pdftotext", max: 1 },
  { package: "debian-reference-ja", pattern: /\.pdf$/, tool: "pdftotext", max: 1 },
  { package: "r-doc-pdf", pattern: /\/R-\w+\.pdf$/, tool: "pdftotext", max: 7 },
  { package: "octave-doc", pattern: /(?:octave|liboctave|refcard-a4)\.pdf$/, tool: "pdftotext", max: 3 },
  { package: "debian-policy", pattern: /\.epub$/, tool: "pandoc", max: 1 },
  { package: "developers-reference", pattern: /\.epub$/, tool: "pandoc", max: 1 },
  { package: "developers-reference-ja", pattern: /\.epub$/, tool: "pandoc", max: 1 },
  { package: "python-odf-doc", pattern: /\.odt$/, tool: "pandoc", max: 1 },
  { package: "docutils-doc", pattern: /\/docs\/(?:user|dev|ref)\/.*\.txt$/, tool: "pandoc", max: 10 },
  { package: "git-doc", pattern: /\/git-[a-m][\w-]*\.html$/, tool: "trafilatura", max: 16 },
  { package: "developers-reference", pattern: /\/(?!index)[\w-]+\.html$/, tool: "trafilatura", max: 8 },
  { package: "debian-policy", pattern: /policy\.html\/ch-\w+\.html$/, tool: "trafilatura", max: 6 },
];

/** Names of the packages. */
export const PACKAGES: readonly string[] = [...new Set(SELECTIONS.map((selection) => selection.package))];

/**
 * Downloads the packages that a folder lacks, unpacks them there and reads the documents. Needs `apt-get` and
 * `dpkg-deb`, and no root.
 */
export async function* documents(folder: string): AsyncGenerator<Document> {
  for (const name of PACKAGES) await unpack(name, folder);
  for (const { package: name, pattern, tool, max } of SELECTIONS) {
    const paths = (await files(join(folder, name))).filter((path) => pattern.test(path)).sort();
    if (paths.length === 0) throw new Error(`the package ${name} has no file ${pattern}`);
    for (const path of paths.slice(0, max)) yield await read(path, tool);
  }
}

async function unpack(name: string, folder: string): Promise<void> {
  const target = join(folder, name);
  if (await Deno.stat(target).then(() => true, () => false)) return;
  const downloads = await Deno.makeTempDir({ prefix: "kb-mcp-packages-" });
  try {
    await succeed(["sh", "-c", 'cd "$1" && exec apt-get download --quiet "$2"', "sh", downloads, name]);
    const [archive] = await files(downloads);
    if (archive === undefined) throw new Error(`apt-get downloaded nothing for ${name}`);
    await succeed(["dpkg-deb", "--extract", archive, `${target}.part`]);
    await Deno.rename(`${target}.part`, target);
  } finally {
    await Deno.remove(downloads, { recursive: true });
  }
}

async function succeed(command: readonly string[]): Promise<void> {
  const { code, output } = await runCommand(command);
  if (code !== 0) throw new Error(`${command[0]} exited with ${code}: ${output.trim()}`);
}

/** Lists the files of a folder and its subfolders, without symbolic links. */
async function files(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isFile, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isFile) found.push(path);
    else if (isDirectory) found.push(...await files(path));
  }
  return found;
}

async function read(path: string, tool: ReferenceTool): Promise<Document> {
  const bytes = await Deno.readFile(path);
  return {
    path,
    tool,
    filename: basename(path).replace(/\.gz$/, "").replace(/\.txt$/, ".rst"),
    bytes: path.endsWith(".gz") ? new Uint8Array(gunzipSync(bytes)) : bytes,
  };
}
