const PREFIX = ".staging-";
/** Age after which a staging folder is that of a program that was killed, in milliseconds. */
const MAX_AGE_MS = 2 * 3600_000;
/** Age up to which a staging folder is taken for an installation in progress, in milliseconds. */
const MAX_INSTALLATION_MS = 10 * 60_000;

/** A temporary folder for the files of an installation, on the same file system as the folder of the models. */
export class StagingFolder implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Creates one in a folder, which is created if missing, and removes those that killed programs left behind. */
  static async create(folder: string): Promise<StagingFolder> {
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
    for await (const { name } of Deno.readDir(folder)) {
      if (name.startsWith(PREFIX)) await removeIfOld(`${folder}/${name}`);
    }
    return new StagingFolder(await Deno.makeTempDir({ dir: folder, prefix: PREFIX }));
  }

  /** Removes the folder. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.path, { recursive: true });
  }
}

/** Whether a program is installing a model into a folder. */
export async function isInstalling(folder: string): Promise<boolean> {
  try {
    for await (const { name } of Deno.readDir(folder)) {
      if (name.startsWith(PREFIX) && await ageOf(`${folder}/${name}`) < MAX_INSTALLATION_MS) return true;
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return false;
}

async function removeIfOld(path: string): Promise<void> {
  try {
    if (await ageOf(path) > MAX_AGE_MS) await Deno.remove(path, { recursive: true });
  } catch (error) {
    // Another program removed it.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Returns the time since the last change of a folder, in milliseconds. */
async function ageOf(path: string): Promise<number> {
  const { mtime } = await Deno.stat(path);
  return mtime ? Date.now() - mtime.getTime() : Infinity;
}
