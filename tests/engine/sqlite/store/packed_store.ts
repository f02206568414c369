import type { DatabaseSync } from "node:sqlite";
import {
  forgetSymbols,
  inTransaction,
  SYMBOL_TABLES,
  writeSymbols,
} from "../../../../src/engine/sqlite/store/mod.ts";
import { seededRandom } from "../../../support/random.ts";
import { prose, proseSymbols } from "../text_packing/prose.ts";
import { draft, TestStore } from "./test_store.ts";

/** Makes a store pack the texts that are added from here on. Other pages are between the copies, as in the writer. */
export function startPacking(db: DatabaseSync): void {
  inTransaction(db, () => writeSymbols(db, SYMBOL_TABLES[0], proseSymbols(), 1));
  inTransaction(db, () => {
    db.exec("CREATE TABLE between_copies AS SELECT randomblob(100000); DROP TABLE between_copies");
    writeSymbols(db, SYMBOL_TABLES[1], proseSymbols(), 1);
  });
  forgetSymbols(db);
}

/** Returns a store with packed files of three chunks each, and a note that is not packed. */
export async function packedStore(files: number): Promise<TestStore> {
  const store = await TestStore.open();
  store.addNote("A note of the time before symbols.");
  startPacking(store.db);
  for (let n = 0; n < files; n++) {
    store.addFile(fileText(n), { title: `File ${n}` }, { chunks: fileTexts(n).map(draft) });
  }
  return store;
}

/** Returns the texts of the chunks of a file. */
export function fileTexts(n: number): string[] {
  const random = seededRandom(1000 + n);
  return Array.from({ length: 3 }, (_, index) => `${prose(random)} mark${n}x${index}.`);
}

function fileText(n: number): string {
  return fileTexts(n).join("\n");
}

/** Number of packed texts. */
export function packedCount(db: DatabaseSync): number {
  return Number(db.prepare("SELECT count(*) AS n FROM chunks WHERE typeof(text) = 'blob'").get()?.n);
}
