import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  formatKeyFile,
  hasExpired,
  hashOfKey,
  KeyFileError,
  MAX_KEY_FILE_BYTES,
  MAX_KEYS,
  newSecretKey,
  parseKeyFile,
  readKeyFile,
  type StoredKey,
} from "../../src/keys/mod.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";

const KEY: StoredKey = {
  name: "alice",
  sha256: hashOfKey("a"),
  scope: "read",
  created_at: "2026-03-01T00:00:00.000Z",
};
const file = (keys: readonly unknown[], more: object = {}) => JSON.stringify({ version: 1, keys, ...more });

Deno.test("a file is read as it was formatted", () => {
  const keys = [KEY, {
    ...KEY,
    name: "bob",
    sha256: hashOfKey("b"),
    expires_at: "2027-01-01T00:00:00.000Z",
  }];
  assertEquals(parseKeyFile(formatKeyFile(keys)), keys);
});

Deno.test("a key has 256 random bits behind a prefix, and is stored as its hash only", () => {
  const keys = Array.from({ length: 3 }, newSecretKey);
  assertEquals(keys.map((key) => /^kbm_[0-9a-f]{64}$/.test(key)), [true, true, true]);
  assertEquals(new Set(keys).size, 3);
  const text = formatKeyFile([{ ...KEY, sha256: hashOfKey(keys[0]!) }]);
  assertEquals(text.includes(keys[0]!.slice(4)), false);
});

const DAMAGED: readonly [problem: string, text: string, message: RegExp][] = [
  ["no text", "", /must be JSON/],
  ["a half of it", file([KEY]).slice(0, 90), /must be JSON/],
  ["another version", file([KEY]).replace('"version":1', '"version":2'), /"version" is invalid/],
  ["an unknown field", file([{ ...KEY, collections: ["a"] }]), /"keys\.0" is invalid/],
  ["an unknown scope", file([{ ...KEY, scope: "admin" }]), /"keys\.0\.scope" is invalid/],
  ["a short hash", file([{ ...KEY, sha256: "ab" }]), /"keys\.0\.sha256" is invalid/],
  ["a time without a zone", file([{ ...KEY, expires_at: "2027-01-01T00:00:00" }]), /expires_at" is invalid/],
  ["a repeated name", file([KEY, { ...KEY, sha256: hashOfKey("b") }]), /name of the key alice/],
  ["a repeated hash", file([KEY, { ...KEY, name: "bob" }]), /sha256 of the key bob/],
  ["the name of KB_MCP_API_KEY", file([{ ...KEY, name: "default" }]), /"keys\.0\.name" is invalid/],
  ["a name with a space", file([{ ...KEY, name: "alice (x)" }]), /"keys\.0\.name" is invalid/],
  [
    "too many keys",
    file(
      Array.from({ length: MAX_KEYS + 1 }, (_, i) => ({ ...KEY, name: `n${i}`, sha256: hashOfKey(`${i}`) })),
    ),
    /"keys" is invalid/,
  ],
];
for (const [problem, text, message] of DAMAGED) {
  Deno.test(`a file with ${problem} is damaged, and the message does not quote it`, () => {
    const error = assertThrows(() => parseKeyFile(text), KeyFileError);
    assertEquals(message.test(error.message), true, error.message);
    assertEquals([error.message.includes(KEY.sha256), error.cause], [false, undefined]);
  });
}

Deno.test("a file that does not exist has no keys; a folder and a large file cannot be used", async () => {
  await using folder = await temporaryFolder();
  assertEquals((await readKeyFile(`${folder.path}/none`)).keys, []);
  await assertRejects(() => readKeyFile(folder.path), KeyFileError, "must be a file");
  await Deno.writeTextFile(`${folder.path}/large`, " ".repeat(MAX_KEY_FILE_BYTES + 1));
  await assertRejects(() => readKeyFile(`${folder.path}/large`), KeyFileError, "at most 1048576 bytes");
});

Deno.test("a key has expired at its time, and not before", () => {
  const at = Date.parse("2027-01-01T00:00:00Z");
  const key = { expires_at: "2027-01-01T00:00:00.000Z" };
  assertEquals([hasExpired(key, at - 1), hasExpired(key, at), hasExpired({}, at)], [false, true, false]);
});
