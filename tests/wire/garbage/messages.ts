import { type Garbage, of, PING } from "./case.ts";

/** Arrays: batches, which only 2025-03-26 allowed. */
export function* batches(): Generator<Garbage> {
  yield of("an empty batch", "[]", "invalid");
  yield of("a batch of a request", `[${PING}]`, "invalid");
  yield of("a batch of requests", `[${PING},${PING}]`, "invalid");
  yield of(
    "a batch of a notification",
    `[{"jsonrpc":"2.0","method":"notifications/initialized"}]`,
    "invalid",
  );
  yield of("a batch of scalars", "[1,2,3]", "invalid");
  yield of("a batch of batches", `[[${PING}]]`, "invalid");
  yield of("a batch of nulls", "[null,null]", "invalid");
  yield of("a batch of 100,000 requests", `[${Array(100_000).fill(PING).join(",")}]`, "invalid");
  yield of("a batch of 1,000,000 numbers", `[${Array(1_000_000).fill("1").join(",")}]`, "invalid");
  yield of("a batch of 100,000 empty batches", `[${Array(100_000).fill("[]").join(",")}]`, "invalid");
}

/** JSON that is not a valid JSON-RPC message in MCP. */
export function* notMessages(): Generator<Garbage> {
  for (
    const scalar of ["null", "true", "false", `"x"`, `""`, "0", "1", "-1.5", "1e400", ` null `, `"ping"`]
  ) {
    yield of(`the scalar ${scalar}`, scalar, "invalid");
  }
  const bodies = [
    ["an empty object", "{}"],
    ["no jsonrpc", `{"id":1,"method":"ping"}`],
    ["jsonrpc 1.0", `{"jsonrpc":"1.0","id":1,"method":"ping"}`],
    ["jsonrpc as a number", `{"jsonrpc":2.0,"id":1,"method":"ping"}`],
    ["jsonrpc null", `{"jsonrpc":null,"id":1,"method":"ping"}`],
    ["jsonrpc in another case", `{"JSONRPC":"2.0","id":1,"method":"ping"}`],
    ["jsonrpc with white space", `{"jsonrpc":"2.0 ","id":1,"method":"ping"}`],
    ["jsonrpc in __proto__ only", `{"__proto__":{"jsonrpc":"2.0","method":"ping"},"id":1}`],
    ["id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`],
    ["id true", `{"jsonrpc":"2.0","id":true,"method":"ping"}`],
    ["id an object", `{"jsonrpc":"2.0","id":{},"method":"ping"}`],
    ["id an array", `{"jsonrpc":"2.0","id":[1],"method":"ping"}`],
    ["id a fraction", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`],
    ["id infinite", `{"jsonrpc":"2.0","id":1e400,"method":"ping"}`],
    ["id above the largest safe integer", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`],
    ["no method", `{"jsonrpc":"2.0","id":1}`],
    ["method null", `{"jsonrpc":"2.0","id":1,"method":null}`],
    ["method a number", `{"jsonrpc":"2.0","id":1,"method":1}`],
    ["method an array", `{"jsonrpc":"2.0","id":1,"method":["ping"]}`],
    ["method an object", `{"jsonrpc":"2.0","id":1,"method":{"toString":"ping"}}`],
    ["params an array", `{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`],
    ["params null", `{"jsonrpc":"2.0","id":1,"method":"ping","params":null}`],
    ["params a string", `{"jsonrpc":"2.0","id":1,"method":"ping","params":"{}"}`],
    ["params a number", `{"jsonrpc":"2.0","id":1,"method":"ping","params":0}`],
    ["params false", `{"jsonrpc":"2.0","id":1,"method":"ping","params":false}`],
    ["a result without an id", `{"jsonrpc":"2.0","result":{}}`],
    [
      "a notification with params of another type",
      `{"jsonrpc":"2.0","method":"notifications/initialized","params":7}`,
    ],
  ];
  for (const [name = "", body = ""] of bodies) yield of(name, body, "invalid");
}
