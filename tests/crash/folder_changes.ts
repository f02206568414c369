import { dirname, join } from "node:path";
import type { Random } from "../support/random.ts";

/** A file that the folder must never lose: an empty folder counts as an unmounted disk. */
const KEEPER = "keeper.md";
const FOLDERS = ["", "a", "a/b", "c", "c/d/e"];
const NAMES = ["one.md", "two.md", "three.md", "four.txt", "five.md"];
const TAGS = ["red", "green", "blue"];

/** Makes random changes to a folder, as editors, people and version control do. */
export class FolderChanges {
  readonly #root: string;
  readonly #random: Random;
  #counter = 0;

  constructor(root: string, random: Random) {
    this.#root = root;
    this.#random = random;
  }

  /** Creates the file that is never changed. */
  async start(): Promise<void> {
    await Deno.writeTextFile(join(this.#root, KEEPER), "# Keeper\n");
  }

  /** Makes one change. Returns its description. */
  async change(): Promise<string> {
    const files = await this.#files();
    const file = files.length > 0 ? this.#random.pick(files) : undefined;
    const kind = this.#random.pick([
      "create",
      "create",
      "change",
      "replace",
      "truncate",
      "copy",
      "rename",
      "rename folder",
      "delete",
      "delete folder",
      "file to folder",
      "folder to file",
      "swap",
      "touch",
    ]);
    const target = this.#path();
    try {
      await this.#apply(kind, file ?? target, target);
    } catch (error) {
      // The kinds of file at the two paths do not fit, such as a folder below a file.
      return `${kind} failed: ${(error as Error).message}`;
    }
    return `${kind} ${file ?? ""} ${target}`;
  }

  async #apply(kind: string, file: string, target: string): Promise<void> {
    const [from, to] = [join(this.#root, file), join(this.#root, target)];
    switch (kind) {
      case "create":
        return await this.#write(to, this.#text());
      case "change":
        return await this.#write(from, this.#text());
      case "replace": // as editors do
        await Deno.writeTextFile(`${from}~.tmp`, this.#text());
        return await Deno.rename(`${from}~.tmp`, from);
      case "truncate":
        return await Deno.truncate(from, this.#random.pick([0, 0, 30]));
      case "copy":
        return await Deno.copyFile(from, to);
      case "rename":
        return await Deno.rename(from, to);
      case "rename folder":
        return await Deno.rename(join(this.#root, this.#random.pick(FOLDERS.slice(1))), `${to}.d`);
      case "delete":
        return await Deno.remove(from);
      case "delete folder":
        return await Deno.remove(join(this.#root, this.#random.pick(FOLDERS.slice(1))), { recursive: true });
      case "file to folder":
        await Deno.remove(from);
        return await this.#write(join(from, "inside.md"), this.#text());
      case "folder to file": {
        const folder = join(this.#root, this.#random.pick(["a/b", "c/d"]));
        await Deno.remove(folder, { recursive: true });
        return await this.#write(folder, "No extension: not a document");
      }
      case "swap":
        await Deno.rename(from, `${from}.swap`);
        await Deno.rename(to, from);
        return await Deno.rename(`${from}.swap`, to);
      case "touch":
        return await Deno.utime(from, new Date(), new Date(Date.now() - this.#random.int(1e9)));
    }
  }

  async #write(path: string, text: string): Promise<void> {
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.writeTextFile(path, text);
  }

  #path(): string {
    return join(this.#random.pick(FOLDERS), this.#random.pick(NAMES));
  }

  /** Returns a text of a constant length, so that a change may leave the size as it was. */
  #text(): string {
    const tags = TAGS.filter(() => this.#random.int(2) === 0);
    const number = String(this.#random.int(4) === 0 ? 0 : ++this.#counter).padStart(6, "0");
    const matter = this.#random.int(3) === 0
      ? ""
      : `---\ntags: [${tags.join(", ")}]\nnumber: "${number}"\n---\n`;
    return `${matter}# Title ${number}\n\nWords of text ${number}.\n`;
  }

  async #files(folder = ""): Promise<string[]> {
    const files: string[] = [];
    for await (const { name, isDirectory } of Deno.readDir(join(this.#root, folder))) {
      const path = join(folder, name);
      if (isDirectory) files.push(...await this.#files(path));
      else if (path !== KEEPER) files.push(path);
    }
    return files.sort();
  }
}
