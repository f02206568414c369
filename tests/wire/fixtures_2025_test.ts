import { fixtureFiles, runFixtures } from "./run_fixtures.ts";

for (const { name, fixtures } of fixtureFiles("2025-11-25")) {
  Deno.test(`2025-11-25 and earlier: ${name}`, (t) => runFixtures(t, name, fixtures));
}
