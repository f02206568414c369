import { assert, assertEquals, assertThrows } from "@std/assert";
import { releaseNotes } from "../../scripts/release_notes.ts";
import { read } from "../packaging/repository.ts";

const CHANGELOG = `# Changelog

## Unreleased

- Soon.

## 1.10.0 (2026-11-22)

- New.

### Fixed

- A bug.

## 1.1.0

`;

Deno.test("release notes are the section of their version, with its subsections", () => {
  assertEquals(releaseNotes(CHANGELOG, "1.10.0"), "- New.\n\n### Fixed\n\n- A bug.");
});

Deno.test("CHANGELOG.md has notes for the version of deno.json", async () => {
  const { version } = JSON.parse(await read("deno.json"));
  assert(releaseNotes(await read("CHANGELOG.md"), version).length > 100);
});

Deno.test("a version without notes is an error", () => {
  for (const version of ["1.1.0", "1.1", "2.0.0"]) {
    assertThrows(() => releaseNotes(CHANGELOG, version), Error, version);
  }
});
