import { type Garbage, of, param, PING, PONG } from "./case.ts";

/** Huge bodies, some of which are valid. */
export function* huge(): Generator<Garbage> {
  const mega = "a".repeat(1_000_000);
  yield of("a string of 1 MB", param(`"${mega}"`), PONG);
  yield of("a string of 1 MB of escapes", param(`"${"\\u0000".repeat(170_000)}"`), PONG);
  yield of("a string of 1 MB of quotes", param(`"${`\\"`.repeat(500_000)}"`), PONG);
  yield of("a string of 1 MB of brackets", param(`"${"[".repeat(1_000_000)}"`), PONG);
  yield of("a key of 1 MB", param(`{"${mega}":1}`), PONG);
  yield of("an id of 1 MB", `{"jsonrpc":"2.0","id":"${mega}","method":"ping"}`, "invalid");
  yield of("a method of 1 MB", `{"jsonrpc":"2.0","id":1,"method":"${mega}"}`, { code: -32601, id: 1 });
  yield of(
    "a tool's name of 1 MB",
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${mega}"}}`,
    { code: -32602, id: 1 },
  );
  yield of("a string of 1 MB that is not terminated", `{"jsonrpc":"2.0","id":1,"method":"${mega}`, "parse");
  yield of("1 MB of white space", " ".repeat(1_000_000), "parse");
  yield of("1 MB of white space around", " ".repeat(500_000) + PING + " ".repeat(500_000), PONG);
  yield of("1 MB of NULs", "\0".repeat(1_000_000), "parse");
  yield of("1 MB of 0xff", new Uint8Array(1_000_000).fill(0xff), "parse");
  yield of(
    "1 MB of 0x80 in a string",
    new Uint8Array([0x22, ...new Uint8Array(100_000).fill(0x80), 0x22]),
    "parse",
  );
  yield of("1 MB of quotes", '"'.repeat(1_000_000), "rejected");
  yield of("1 MB of backslashes", "\\".repeat(1_000_000), "parse");
  yield of("1 MB of digits", "1".repeat(1_000_000), "invalid");
  yield of("1 MB of minus signs", "-".repeat(1_000_000), "parse");
  const keys = Array.from({ length: 100_000 }, (_, i) => `"k${i}":${i}`).join(",");
  yield of("100,000 keys in the parameters", param(`{${keys}}`), "invalid");
  yield of("100,000 keys in the message", `{"jsonrpc":"2.0","id":1,"method":"ping",${keys}}`, "invalid");
  const same = Array(100_000).fill(`"id":1`).join(",");
  yield of("the same key 100,000 times", `{"jsonrpc":"2.0","method":"ping",${same}}`, "invalid");
  const numbers = Array.from({ length: 9_000 }, (_, i) => `"${i}":1`).join(",");
  yield of("9,000 keys that are indices", param(`{${numbers}}`), PONG);
}
