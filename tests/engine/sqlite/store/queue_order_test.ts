import { assert, assertEquals } from "@std/assert";
import { QueueOrder } from "../../../../src/engine/sqlite/store/queue_order.ts";

const MiB = 2 ** 20;

/** Reads files in the order of their ranks. `arrive` may add files before each. Returns their names. */
function drain(
  order: QueueOrder,
  files: { name: string; rank: number }[],
  arrive: (read: number) => { name: string; rank: number }[] = () => [],
): string[] {
  const names: string[] = [];
  for (let read = 0; files.length > 0; read++) {
    files.push(...arrive(read));
    files.sort((a, b) => a.rank - b.rank);
    order.advance(files[0]!.rank);
    names.push(files.shift()!.name);
  }
  return names;
}

Deno.test("QueueOrder: a small file is read before a large one that was sent earlier", () => {
  const order = new QueueOrder();
  const large = order.rank("ann", 40 * MiB);
  assert(order.rank("ann", 1000) < large);
});

Deno.test("QueueOrder: a stream of small files does not starve a large one", () => {
  const order = new QueueOrder();
  const large = { name: "large", rank: order.rank("ann", 10 * MiB) };
  const names = drain(
    order,
    [large],
    (read) => read < 1000 ? [{ name: "small", rank: order.rank("bob", 1000) }] : [],
  );
  const position = names.indexOf("large");
  assert(position > 100 && position < 200, String(position));
});

Deno.test("QueueOrder: a sender with many files does not delay another one", () => {
  const order = new QueueOrder();
  const files = Array.from({ length: 1000 }, (_, i) => ({ name: `ann ${i}`, rank: order.rank("ann", 1000) }));
  order.advance(files[0]!.rank);
  files.push({ name: "bob", rank: order.rank("bob", 1000) });
  assert(drain(order, files).indexOf("bob") <= 2);
});

Deno.test("QueueOrder: files of a sender with the same size keep their order", () => {
  const order = new QueueOrder();
  const files = Array.from({ length: 2000 }, (_, i) => ({ name: String(i), rank: order.rank("ann", 1000) }));
  assertEquals(drain(order, [...files]), files.map(({ name }) => name));
});

Deno.test("QueueOrder: after a restart, new files come behind waiting ones of the same size", () => {
  const before = new QueueOrder();
  const waiting = Array.from({ length: 10 }, () => before.rank("ann", 1000));
  const after = new QueueOrder(Math.min(...waiting));
  assert(after.rank("bob", 1000) > waiting[0]!);
});
