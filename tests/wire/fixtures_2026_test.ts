import { fixtureFiles, playFixtures } from "./run_fixtures.ts";

for (const { name, fixtures } of fixtureFiles("2026-07-28")) {
  Deno.test(`2026-07-28: ${name}`, (t) => playFixtures(t, name, fixtures));
}
