import { fixtureFiles, runFixtures } from "./run_fixtures.ts";

for (const { name, fixtures } of fixtureFiles("2026-07-28")) {
  Deno.test(`2026-07-28: ${name}`, (t) => runFixtures(t, name, fixtures));
}
