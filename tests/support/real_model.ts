const MODEL = "models/all-MiniLM-L6-v2.kbmodel";

/**
 * Registers a test that needs the real embedding model. Without its file the test is ignored, and its name says
 * why.
 */
export function testWithModel(name: string, run: () => Promise<void>): void {
  if (exists(new URL(`../../${MODEL}`, import.meta.url))) Deno.test(name, run);
  else Deno.test.ignore(`${name} (skipped: no ${MODEL}, run deno task model)`, () => {});
}

function exists(path: URL): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
