const MODEL = "models/all-MiniLM-L6-v2.kbmodel";

/** Whether `deno task model` has made the file of the built-in model. */
export function hasRealModel(): boolean {
  try {
    return Deno.statSync(new URL(`../../${MODEL}`, import.meta.url)).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/**
 * Registers a test that needs the real embedding model. Without its file the test is ignored, and its name says
 * why.
 */
export function testWithModel(name: string, run: () => Promise<void>): void {
  if (hasRealModel()) Deno.test(name, run);
  else Deno.test.ignore(`${name} (skipped: no ${MODEL}, run deno task model)`, () => {});
}
