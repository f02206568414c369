import { assert, assertEquals } from "@std/assert";
import {
  encodeSymbols,
  isIntactRow,
  joinSymbols,
  MAX_ROWS,
  type SymbolRow,
} from "../../../../src/engine/sqlite/text_packing/mod.ts";
import { MAX_SYMBOL_BYTES, MAX_SYMBOLS } from "../../../../src/engine/sqlite/text_packing/format.ts";
import { symbolTable } from "../../../../src/engine/sqlite/text_packing/symbol_table.ts";
import { learned, proseSample, proseSymbols } from "./prose.ts";

const rows = () => encodeSymbols(proseSymbols(), 1234);
const damaged = (row: SymbolRow): SymbolRow => {
  const symbols = row.symbols.slice();
  symbols[100]! ^= 1;
  return { ...row, symbols };
};

Deno.test("symbols are the same after they were stored, in rows of a page each", () => {
  assert(rows().length > 5);
  assertEquals(joinSymbols(rows()), { table: proseSymbols(), lastChunk: 1234, isComplete: true });
  assert(rows().every(({ symbols }) => symbols.length > 4096 / 2 && symbols.length < 4096 - 100));
});

Deno.test("the longest symbols fit into the maximum number of rows", () => {
  const longest = symbolTable(
    Array.from({ length: MAX_SYMBOLS }, (_, code) => String(code).padStart(MAX_SYMBOL_BYTES, "x")),
  );
  const stored = encodeSymbols(longest, 1);
  assertEquals([stored.length, joinSymbols(stored)?.table], [MAX_ROWS, longest]);
});

Deno.test("intact rows of both copies are joined", () => {
  const first = rows().map((row, index) => index % 2 === 0 ? row : damaged(row));
  const second = rows().map((row, index) => index % 2 === 1 ? row : damaged(row));
  assertEquals(joinSymbols([...first, ...second])?.table, proseSymbols());
  assertEquals(joinSymbols([...first, ...second])?.isComplete, true);
});

Deno.test("symbols without an intact row are lost, and others stay", () => {
  const [lost, ...rest] = rows();
  const joined = joinSymbols([damaged(lost!), ...rest]);
  const end = rest[0]!.first_code;
  assertEquals([joined?.isComplete, joined?.table.id], [false, proseSymbols().id]);
  assertEquals(joined?.table.symbols.slice(0, end), Array(end).fill(""));
  assertEquals(joined?.table.symbols.slice(end), proseSymbols().symbols.slice(end));
  assertEquals(joinSymbols([damaged(lost!)]), undefined);
  assertEquals(joinSymbols([]), undefined);
});

Deno.test("a row with any other value is not intact", () => {
  const row = rows()[1]!;
  assert(isIntactRow(row));
  for (
    const name of [
      "id",
      "table_id",
      "row_count",
      "symbol_count",
      "first_code",
      "last_chunk",
      "checksum",
    ] as const
  ) {
    assert(!isIntactRow({ ...row, [name]: row[name] + 1 }), name);
  }
  for (const symbols of [null, "text", new Uint8Array(), row.symbols.subarray(1)]) {
    assert(!isIntactRow({ ...row, symbols: symbols as Uint8Array }));
  }
});

Deno.test("rows of other symbols are not joined with the first ones", () => {
  const other = encodeSymbols(learned(proseSample(2)), 1);
  assertEquals(joinSymbols([...rows(), ...other])?.table, proseSymbols());
});
