/**
 * Converts Debian documentation packages to the texts that the scale benchmark stores and searches:
 * `deno run -A tests/bench/scale/texts.ts DIRECTORY [--packages FOLDER] [--mebibytes N]`.
 *
 * Downloads the packages with `apt-get download` unless the folder has them. Writes `notes.jsonl` (entries of
 * dictionaries, one paragraph each) and `files.jsonl` (chapters of manuals: Markdown
 * of 5–50 KB), one `{"title", "text"}` per line. No paragraph occurs twice, because identical passages of a
 * knowledge base are one result.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { print } from "../../../scripts/print.ts";
import { runCommand } from "../../../scripts/run_command.ts";
import { htmlToMarkdown, manToMarkdown, podToMarkdown } from "./markdown.ts";

/** Dictionaries in the format of dictd. */
const DICTIONARIES = ["dict-gcide", "dict-wn", "dict-foldoc", "dict-jargon"];

/** Manuals, those with most prose first. */
const MANUALS =
  ("debian-handbook debian-reference-en installation-guide-amd64 developers-reference debian-policy debian-faq " +
    "debian-history aptitude-doc-en live-manual-html freedombox-doc-en linux-doc-6.1 postgresql-doc-15 sqlite3-doc " +
    "python3.11-doc perl-doc manpages manpages-dev systemd git-doc apache2-doc bind9-doc postfix-doc exim4-doc-html " +
    "haproxy-doc python-django-doc python-sqlalchemy-doc gnome-user-docs gnucash-docs libreoffice-help-en-us kicad-doc-en " +
    "emacs-common texinfo vim-doc zsh-doc bash-doc gnuplot-doc cmake-doc nova-doc neutron-doc cinder-doc keystone-doc " +
    "glance-doc swift-doc slurm-wlm-doc xen-doc libvirt-doc openvswitch-doc dpdk-doc icinga2-doc fai-doc munin-doc mrtg " +
    "sumo-doc ns3-doc csound-doc grass-doc gap-doc maxima-doc octave-doc r-doc-html sagemath-doc lilypond-doc racket-doc " +
    "python-pandas-doc python-scipy-doc python-sklearn-doc python-astropy-doc python-statsmodels-doc python-sympy-doc " +
    "mercurial lua-doc tcl8.6-doc tk8.6-doc golang-1.19-doc nodejs-doc qtbase5-doc-html cppreference-doc-en-html " +
    "libboost1.74-doc erlang-doc libstdc++-12-doc rust-doc openjdk-17-doc ghc-doc clips-doc").split(" ");

const MIN_FILE_CHARS = 5_000;
const MAX_FILE_CHARS = 50_000;
const MIN_NOTE_CHARS = 60;
const MAX_NOTE_CHARS = 1_000;
/** Shorter paragraphs may repeat, such as headings. */
const MIN_UNIQUE_CHARS = 60;

// deno-fmt-ignore
/** Paths of translated pages. */
const OTHER_LANGUAGES = /[./](bn|ca|cs|da|de|el|es|eu|fi|fr|ga|hu|id|it|ja|ko|lv|ml|nb|nl|nn|pl|pt|pt[-_]?br|ro|ru|sv|tl|tr|uk|vi|zh|zh[-_](cn|tw)|(?!en)[a-z]{2}[-_][A-Z]{2})[./]/i;

// deno-lint-ignore no-control-regex -- files with control characters would be taken for binary data
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffd]/g;

interface Text {
  readonly title: string;
  readonly text: string;
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** Remembers paragraphs by a 53-bit hash: millions of them as strings would take gigabytes. */
class SeenParagraphs {
  readonly #hashes = new Set<number>();

  /** Returns whether the paragraph is new, or short. */
  add(paragraph: string): boolean {
    if (paragraph.length < MIN_UNIQUE_CHARS) return true;
    let low = 0x811c9dc5;
    let high = 0x1b873593;
    for (let i = 0; i < paragraph.length; i++) {
      const code = paragraph.charCodeAt(i);
      low = Math.imul(low ^ code, 0x01000193);
      high = Math.imul(high ^ code, 0x85ebca6b) + (low >>> 13) | 0;
    }
    const size = this.#hashes.size;
    return this.#hashes.add((low >>> 0) + (high & 0x1fffff) * 2 ** 32).size > size;
  }
}

/** Appends texts to a file of JSON lines. */
class JsonLines {
  readonly #file: Deno.FsFile;
  texts = 0;
  chars = 0;

  constructor(path: string) {
    this.#file = Deno.openSync(path, { write: true, create: true, truncate: true });
  }

  write(text: Text): void {
    this.texts++;
    this.chars += text.text.length;
    const line = encoder.encode(JSON.stringify(text) + "\n");
    for (let written = 0; written < line.length;) written += this.#file.writeSync(line.subarray(written));
  }

  [Symbol.dispose]() {
    this.#file.close();
  }
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    args: Deno.args,
    options: { packages: { type: "string" }, mebibytes: { type: "string", default: "450" } },
    allowPositionals: true,
  });
  const directory = positionals[0];
  if (directory === undefined) {
    throw new Error("usage: texts.ts DIRECTORY [--packages FOLDER] [--mebibytes N]");
  }
  await Deno.mkdir(directory, { recursive: true });
  const packages = values.packages ?? `${directory}/packages`;
  await Deno.mkdir(packages, { recursive: true });
  const seen = new SeenParagraphs();
  await writeNotes(packages, `${directory}/notes.jsonl`, seen);
  await writeFiles(packages, `${directory}/files.jsonl`, seen, Number(values.mebibytes) * 2 ** 20);
}

async function writeNotes(packages: string, path: string, seen: SeenParagraphs): Promise<void> {
  using notes = new JsonLines(path);
  for (const name of DICTIONARIES) {
    await using unpacked = await unpack(packages, name);
    for await (const file of filesIn(unpacked.directory)) {
      if (!file.endsWith(".index")) continue;
      for (
        const note of dictionaryEntries(
          await Deno.readTextFile(file),
          await readGzip(file.replace(/index$/, "dict.dz")),
        )
      ) {
        if (seen.add(note.text)) notes.write(note);
      }
    }
    print(`${name}: ${notes.texts} notes`);
  }
}

async function writeFiles(
  packages: string,
  path: string,
  seen: SeenParagraphs,
  maxChars: number,
): Promise<void> {
  using files = new JsonLines(path);
  for (const name of MANUALS) {
    if (files.chars >= maxChars) break;
    await using unpacked = await unpack(packages, name);
    let waiting = "";
    let title = name;
    for (const file of (await Array.fromAsync(filesIn(unpacked.directory))).sort()) {
      const markdown = await toMarkdown(file);
      if (markdown === undefined) continue;
      const kept = markdown.replace(CONTROL_CHARACTERS, " ").split(/\n{2,}/).filter((paragraph) =>
        seen.add(paragraph)
      ).join("\n\n").trim();
      if (kept.length < 500 || !isProse(kept)) continue;
      if (waiting === "") title = /^#+ (.{3,100})$/m.exec(kept)?.[1] ?? baseName(file);
      waiting += (waiting && "\n\n") + kept;
      // Short pages of a manual become one file, and long ones several.
      while (waiting.length >= MIN_FILE_CHARS) {
        const text = takeFile(waiting);
        waiting = waiting.slice(text.length).trim();
        files.write({ title: `${title} (${name}, ${baseName(file)})`.slice(0, 180), text: text.trim() });
      }
    }
    print(`${name}: ${files.texts} files, ${(files.chars / 1e6).toFixed(0)} million characters`);
  }
}

/** Returns the first 5–50 KB of a text, up to the end of a paragraph, with lengths that vary. */
function takeFile(text: string): string {
  const length = MIN_FILE_CHARS * (MAX_FILE_CHARS / MIN_FILE_CHARS) ** ((text.length * 0.6180339) % 1);
  if (text.length < 1.3 * length && text.length <= MAX_FILE_CHARS) return text;
  const end = text.indexOf("\n\n", Math.floor(length) - 1_000);
  return text.slice(0, end < 0 || end > MAX_FILE_CHARS ? Math.floor(length) : end);
}

function isProse(text: string): boolean {
  const letters = text.match(/[a-z]{2,} [a-z]{2,}/g)?.length ?? 0;
  return letters > text.length / 60;
}

async function toMarkdown(file: string): Promise<string | undefined> {
  if (/\.html?$/.test(file)) {
    // Lists of names, and pages in other languages.
    if (/genindex|searchindex|py-modindex|\/(allclasses|index-\d+|class-use)/.test(file)) return undefined;
    if (OTHER_LANGUAGES.test(file)) return undefined;
    return htmlToMarkdown(decoder.decode(await Deno.readFile(file)));
  }
  if (/\/man\/man\d\/.*\.gz$/.test(file)) return manToMarkdown(decoder.decode(await readGzip(file)));
  if (/\.pod$/.test(file)) return podToMarkdown(await Deno.readTextFile(file));
  if (/\.(info|txt|rst|info-\d+)\.gz$/.test(file)) {
    return decoder.decode(await readGzip(file));
  }
  if (/\.(txt|rst|md)$/.test(file)) return await Deno.readTextFile(file);
  return undefined;
}

/** Returns the entries of a dictionary, each as one paragraph. */
function* dictionaryEntries(index: string, bytes: Uint8Array): Generator<Text> {
  for (const line of index.split("\n")) {
    const [word = "", offset = "", length = ""] = line.split("\t");
    if (word.startsWith("00database") || word.startsWith("00-database")) continue;
    const start = fromBase64(offset);
    const entry = decoder.decode(bytes.subarray(start, start + fromBase64(length)));
    const text = entry.replace(/\[1913 Webster\]|\[[A-Z][^\]]{0,20}\]|[{}]/g, "").replace(/\s+/g, " ").trim();
    if (text.length < MIN_NOTE_CHARS) continue;
    yield {
      title: word,
      text: text.length > MAX_NOTE_CHARS ? text.slice(0, text.lastIndexOf(" ", MAX_NOTE_CHARS)) : text,
    };
  }
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function fromBase64(digits: string): number {
  let number = 0;
  for (const digit of digits) number = number * 64 + BASE64.indexOf(digit);
  return number;
}

/** Unpacks a package into a temporary directory, which disposing removes. Downloads it if necessary. */
async function unpack(packages: string, name: string): Promise<{ directory: string } & AsyncDisposable> {
  const directory = await Deno.makeTempDir({ prefix: "kb-mcp-texts-" });
  const script =
    `cd "$1" && (ls "$2"_*.deb >/dev/null 2>&1 || apt-get download -qq "$2") && dpkg-deb -x "$2"_*.deb "$3"`;
  const { code } = await runCommand(["sh", "-c", script, "sh", packages, name, directory]);
  if (code !== 0) print(`${name}: skipped: not available`);
  return { directory, [Symbol.asyncDispose]: () => Deno.remove(directory, { recursive: true }) };
}

async function* filesIn(directory: string): AsyncGenerator<string> {
  for await (const { name, isDirectory, isFile } of Deno.readDir(directory)) {
    if (isDirectory) yield* filesIn(`${directory}/${name}`);
    else if (isFile) yield `${directory}/${name}`;
  }
}

async function readGzip(path: string): Promise<Uint8Array> {
  using file = await Deno.open(path);
  return await new Response(file.readable.pipeThrough(new DecompressionStream("gzip"))).bytes();
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/(\.\w+)+$/, "");
}

if (import.meta.main) await main();
