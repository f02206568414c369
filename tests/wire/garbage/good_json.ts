import { type Garbage, of, param, PING, PONG } from "./case.ts";

/** Unusual but valid JSON: parsers must accept it (y_*), or may accept it (i_*). */
export function* goodJson(): Generator<Garbage> {
  const numbers = [
    "0",
    "-0",
    "-1",
    "1.5",
    "1e5",
    "1E5",
    "1e+5",
    "1e-5",
    "0e1",
    "0e+1",
    "123e45",
    "-123",
    "0.1",
    "1.000000000000000005",
    "1e400",
    "-1e400",
    "1e-400",
    "-1e-400",
    "123123e100000",
    "0.4e00669999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999969999999006",
    "100000000000000000000",
    "-237462374673276894279832749832423479823246327846",
    "9007199254740993",
    "-9223372036854775809",
  ];
  for (const number of numbers) yield of(`the number ${number.slice(0, 40)}`, param(number), PONG);
  yield of("a number of 100,000 digits", param("1".repeat(100_000)), PONG);
  yield of("a fraction of 100,000 digits", param(`0.${"3".repeat(100_000)}`), PONG);
  yield of("a number with an exponent of 10,000 digits", param(`1e${"9".repeat(10_000)}`), PONG);
  const strings = [
    ["every escape", `"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041"`],
    ["an escaped surrogate pair", `"\\uD83D\\uDE00"`],
    ["a lone high surrogate, escaped", `"\\uD83D"`],
    ["a lone low surrogate, escaped", `"\\uDE00"`],
    ["a reversed surrogate pair, escaped", `"\\uDE00\\uD83D"`],
    ["a high surrogate and a letter, escaped", `"\\uD800abc"`],
    ["an escaped NUL", `"\\u0000"`],
    ["U+007F", `"\x7f"`],
    ["U+2028 and U+2029", `"\u2028\u2029"`],
    ["non-characters", `"\ufffe\uffff\u{10ffff}"`],
    ["emoji", `"👩‍👩‍👧‍👦"`],
    ["a comment", `"/* a */ // b"`],
    ["a byte order mark", `"\ufeff"`],
    ["the empty string", `""`],
  ];
  for (const [name, json = ""] of strings) yield of(`in a string: ${name}`, param(json), PONG);
  const requests = [
    ["white space around the message", ` \t\r\n${PING}\r\n\t `],
    ["white space between tokens", `{ "jsonrpc" : "2.0" ,\n"id" :\t1 , "method":\r"ping" }`],
    ["the same key twice, equal", `{"jsonrpc":"2.0","id":1,"id":1,"method":"ping"}`],
    [
      "the same key twice, where the last one is used",
      `{"jsonrpc":"2.0","id":7,"method":"none","id":1,"method":"ping"}`,
    ],
    ["escaped keys", `{"\\u006asonrpc":"2.0","\\u0069d":1,"method":"\\u0070ing"}`],
    ["the empty key", `{"":0,"jsonrpc":"2.0","id":1,"method":"ping"}`],
    ["unknown members", `{"jsonrpc":"2.0","id":1,"method":"ping","extra":{"a":[{}]}}`],
    ["__proto__ in the message", `{"__proto__":{"method":"none"},"jsonrpc":"2.0","id":1,"method":"ping"}`],
    ["__proto__ in the parameters", param(`{"__proto__":{"a":1},"constructor":{"prototype":{"b":1}}}`)],
    [
      "names of Object.prototype properties",
      param(`{"toString":1,"valueOf":null,"hasOwnProperty":"x","then":{}}`),
    ],
    ["a response and a request at once", `{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`],
  ];
  for (const [name = "", body = ""] of requests) yield of(name, body, PONG);
  yield of("the id __proto__", `{"jsonrpc":"2.0","id":"__proto__","method":"ping"}`, {
    code: undefined,
    id: "__proto__",
  });
  yield of("an id of a lone surrogate", `{"jsonrpc":"2.0","id":"a\\ud800","method":"ping"}`, {
    code: undefined,
    id: "a\ud800",
  });
  yield of("an id with a NUL", `{"jsonrpc":"2.0","id":"\\u0000","method":"ping"}`, {
    code: undefined,
    id: "\0",
  });
  yield of("the method __proto__", `{"jsonrpc":"2.0","id":1,"method":"__proto__"}`, {
    code: -32601,
    id: 1,
  });
  yield of("the method constructor", `{"jsonrpc":"2.0","id":1,"method":"constructor"}`, {
    code: -32601,
    id: 1,
  });
  yield of("the empty method", `{"jsonrpc":"2.0","id":1,"method":""}`, { code: -32601, id: 1 });
  yield of("a method with leading white space", `{"jsonrpc":"2.0","id":1,"method":" ping"}`, {
    code: -32601,
    id: 1,
  });
  yield of("a notification named like a request", `{"jsonrpc":"2.0","method":"tools/call"}`, "accepted");
  yield of(
    "a notification with nested empty arrays",
    `{"jsonrpc":"2.0","method":"\\u0000","params":{"a":[[[]]]}}`,
    "accepted",
  );
}
