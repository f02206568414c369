import { SKIPPED, testDataFolder } from "../../scripts/test_data.ts";

/**
 * Registers a test that needs development data (`KB_TEST_DATA`). Without the data the test is ignored, and
 * its name says why.
 *
 * @param run Receives the data folder, without a trailing slash.
 */
export function testWithData(name: string, run: (folder: string) => Promise<void>): void {
  const folder = testDataFolder();
  if (folder === undefined) Deno.test.ignore(`${name} (${SKIPPED})`, () => {});
  else Deno.test(name, () => run(folder));
}
