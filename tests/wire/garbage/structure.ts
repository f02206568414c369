import { type Garbage, of, param, PING, PONG } from "./case.ts";

const encoder = new TextEncoder();

/** A message that is truncated after each of its bytes. */
export function* truncated(): Generator<Garbage> {
  const message = encoder.encode(
    `{"jsonrpc":"2.0","id":"é","method":"ping","params":{"a":[1,-0.5e3,true,null,"\\n"]}}`,
  );
  for (let size = 0; size < message.byteLength; size++) {
    yield of(`truncated after ${size} bytes`, message.subarray(0, size), "parse");
  }
}

/** Deep nesting, which overflows the stack of a recursive parser. */
export function* nested(): Generator<Garbage> {
  for (const depth of [100, 1_000, 10_000, 40_000, 100_000, 200_000]) {
    yield of(`${depth} of [`, "[".repeat(depth), "rejected");
    yield of(`${depth} of {"a":`, `{"a":`.repeat(depth), "rejected");
    yield of(`${depth} of [{"a":`, `[{"a":`.repeat(depth), "rejected");
    yield of(`${depth} of [ and ]`, "[".repeat(depth) + "]".repeat(depth), "rejected");
    // A small body (64 KiB) may be deep: parsing it is cheap.
    const isSmall = depth <= 10_000;
    const arrays = param("[".repeat(depth) + "]".repeat(depth));
    yield of(`a request with ${depth} nested arrays`, arrays, isSmall ? PONG : "invalid");
    const objects = param(`{"a":`.repeat(depth) + "1" + "}".repeat(depth));
    yield of(`a request with ${depth} nested objects`, objects, isSmall ? PONG : "invalid");
  }
  yield of("200000 of ]", "]".repeat(200_000), "rejected");
}

/** Almost JSON, and other formats that a client might send. */
export function* notJson(): Generator<Garbage> {
  const bodies = [
    ["no body", ""],
    ["white space only", " \t\r\n "],
    ["a comma", ","],
    ["a colon", ":"],
    ["an open brace", "{"],
    ["a closed brace", "}"],
    ["a bracket closed by a brace", "[}"],
    ["a brace closed by a bracket", "{]"],
    ["a comma after the last member", `{"jsonrpc":"2.0","id":1,"method":"ping",}`],
    ["two commas", `{"jsonrpc":"2.0",,"id":1,"method":"ping"}`],
    ["a comma before the first member", `{,"jsonrpc":"2.0","id":1,"method":"ping"}`],
    ["no comma", `{"jsonrpc":"2.0" "id":1,"method":"ping"}`],
    ["no colon", `{"jsonrpc" "2.0","id":1,"method":"ping"}`],
    ["two colons", `{"jsonrpc"::"2.0","id":1,"method":"ping"}`],
    ["an equals sign", `{"jsonrpc"="2.0","id":1,"method":"ping"}`],
    ["a comma for a colon", `{"jsonrpc","2.0","id":1,"method":"ping"}`],
    ["a member without a value", `{"jsonrpc":"2.0","id":,"method":"ping"}`],
    ["a key without quotes", `{jsonrpc:"2.0","id":1,"method":"ping"}`],
    ["a key in single quotes", `{'jsonrpc':"2.0","id":1,"method":"ping"}`],
    ["single quotes", `{'jsonrpc':'2.0','id':1,'method':'ping'}`],
    ["a number as a key", `{1:"2.0","id":1,"method":"ping"}`],
    ["null as a key", `{null:"2.0","id":1,"method":"ping"}`],
    ["a comment of a line", `{"jsonrpc":"2.0",// why\n"id":1,"method":"ping"}`],
    ["a comment in between", `{"jsonrpc":"2.0",/* why */"id":1,"method":"ping"}`],
    ["a comment behind", `${PING} // why`],
    ["a comment of a shell", `${PING}\n# why`],
    ["a second value", PING + PING],
    ["a second value on a line of its own (NDJSON)", `${PING}\n${PING}\n`],
    ["a brace too many", `${PING}}`],
    ["a comma behind", `${PING},`],
    ["a semicolon behind", `${PING};`],
    ["text before", `data: ${PING}`],
    ["the header of a stdio message", `Content-Length: ${PING.length}\r\n\r\n${PING}`],
    ["a form", `jsonrpc=2.0&id=1&method=ping`],
    ["XML", `<?xml version="1.0"?><methodCall><methodName>ping</methodName></methodCall>`],
    ["HTML", `<!doctype html><title>ping</title>`],
    ["YAML", `jsonrpc: "2.0"\nid: 1\nmethod: ping\n`],
    ["JSON in a string of JavaScript", `"${PING}"`],
    ["a function", `function () {}`],
    ["undefined", "undefined"],
    ["True", param("True")],
    ["nul", param("nul")],
    ["truth", param("truth")],
    ["TRUE", param("TRUE")],
    ["undefined for a value", param("undefined")],
    ["an array that is not closed", param("[1,2")],
    ["an array with a comma behind", param("[1,]")],
    ["an array with a comma before", param("[,1]")],
    ["an array of commas", param("[,]")],
    ["an array without commas", param("[1 2]")],
    ["an array with a colon", param(`["a":1]`)],
    ["an array closed twice", param("[1]]")],
    ["an ellipsis", param("[1,...]")],
    ["a form feed between", `{"jsonrpc":"2.0",\f"id":1,"method":"ping"}`],
    ["a vertical tab between", `{"jsonrpc":"2.0",\v"id":1,"method":"ping"}`],
    ["a no-break space between", `{"jsonrpc":"2.0",\u00a0"id":1,"method":"ping"}`],
    ["a word joiner before", `\u2060${PING}`],
    ["a NUL behind", `${PING}\0`],
    ["a NUL before", `\0${PING}`],
    ["a NUL between", `{"jsonrpc":"2.0",\0"id":1,"method":"ping"}`],
    ["NULs only", "\0".repeat(100)],
    ["an escape outside of a string", `{\\u0022jsonrpc":"2.0","id":1,"method":"ping"}`],
    ["a full-width brace", `｛"jsonrpc":"2.0","id":1,"method":"ping"｝`],
  ];
  for (const [name = "", body = ""] of bodies) yield of(name, body, "parse");
}
