/** Options of {@linkcode locateModel}. */
export interface LocateOptions {
  readonly dataDir: string;
}

/**
 * Returns the path of a model file; undefined: the model is not installed.
 *
 * A model that is part of the program comes first: in the executable, next to the bundle, or in `models` of a source
 * checkout. Then follow the installed ones, in `models` of the data directory. Names ignore case.
 *
 * @example
 * ```ts
 * import { locateModel } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(await locateModel("unknown-model", { dataDir: "/var/lib/kb-mcp" }), undefined);
 * ```
 */
export async function locateModel(
  name: string,
  { dataDir }: LocateOptions,
): Promise<{ path: string } | undefined> {
  for (const folder of [...programFolders(), modelFolder(dataDir)]) {
    const found = (await listModelFiles(folder)).find((file) =>
      file.name.toLowerCase() === name.toLowerCase()
    );
    if (found) return { path: found.path };
  }
  return undefined;
}

/** Returns the folder of installed models. */
export function modelFolder(dataDir: string): string {
  return `${dataDir}/models`;
}

/** File name extension of model files. */
export const MODEL_EXTENSION = ".kbmodel";

/** Lists the model files in a folder by the names of their models; none if there is no such folder. */
export async function listModelFiles(folder: string): Promise<{ name: string; path: string }[]> {
  try {
    const entries = await Array.fromAsync(Deno.readDir(folder));
    // Reading a named pipe would wait for a writer.
    const files = entries.filter(({ isFile, isSymlink }) => isFile || isSymlink);
    return files.filter(({ name }) => name.endsWith(MODEL_EXTENSION)).map(({ name }) => ({
      name: name.slice(0, -MODEL_EXTENSION.length),
      path: `${folder}/${name}`,
    }));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return [];
    throw error;
  }
}

/**
 * Returns the folders of the models that are part of the program.
 *
 * The bundle and the executable have the model next to their code. Only a checkout may look above the folder of the
 * code: next to an installed program, another user may have put a file there.
 */
export function programFolders(): string[] {
  const folder = import.meta.dirname;
  if (folder === undefined) return [];
  const isCheckout = import.meta.url.endsWith("/src/models/locate.ts");
  return [isCheckout ? `${folder}/../../models` : folder];
}
