import { assertResponse, type Fixture, readFixtures } from "./fixtures.ts";
import { exchange, requestBytes } from "./raw_http.ts";
import { startFixtureServer } from "./fixture_server.ts";

const encoder = new TextEncoder();

/** Reads the fixture files of one protocol version. */
export function fixtureFiles(version: string): { name: string; fixtures: Fixture[] }[] {
  const directory = new URL(`${version}/`, import.meta.url);
  return [...Deno.readDirSync(directory)].map(({ name }) => name).sort()
    .map((name) => ({ name, fixtures: readFixtures(Deno.readTextFileSync(new URL(name, directory))) }));
}

/** Sends each request of a file to a new server and compares the responses. */
export async function runFixtures(
  t: Deno.TestContext,
  name: string,
  fixtures: readonly Fixture[],
): Promise<void> {
  const withKey = name.startsWith("authorization");
  await using server = await startFixtureServer(
    withKey ? { KB_MCP_API_KEY: "correct-horse-battery-staple" } : {},
  );
  for (const fixture of fixtures) {
    await t.step(fixture.title, async () => {
      const request = requestBytes(fixture.head, encoder.encode(fixture.body));
      assertResponse(await exchange(server.url, request), fixture);
    });
  }
}
