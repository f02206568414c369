import { dirname, join } from "node:path";

/** A folder that is removed when it is disposed of. */
export interface TemporaryFolder extends AsyncDisposable {
  /** Absolute path without links. */
  readonly path: string;
  /** Writes a file, and the folders above it. */
  write(path: string, content: string | Uint8Array): Promise<void>;
}

/** Creates a folder with files, given by their relative paths. */
export async function temporaryFolder(
  files: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<TemporaryFolder> {
  const path = await Deno.realPath(await Deno.makeTempDir());
  const folder: TemporaryFolder = {
    path,
    async write(name, content) {
      await Deno.mkdir(join(path, dirname(name)), { recursive: true });
      if (typeof content === "string") await Deno.writeTextFile(join(path, name), content);
      else await Deno.writeFile(join(path, name), content);
    },
    async [Symbol.asyncDispose]() {
      await Deno.remove(path, { recursive: true });
    },
  };
  for (const [name, content] of Object.entries(files)) await folder.write(name, content);
  return folder;
}
