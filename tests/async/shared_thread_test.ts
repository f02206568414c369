import { assertEquals, assertRejects } from "@std/assert";
import { SharedThread, ThreadClient, ThreadError, type ThreadPort } from "../../src/async/mod.ts";
import { gate, release, type Settings, spawnServices, type Task } from "./thread_service.ts";

/** A shared thread that counts the threads it has started and terminated. */
class Threads {
  started = 0;
  terminated = 0;
  readonly #shared = new SharedThread((): ThreadPort => {
    this.started++;
    const port = spawnServices();
    return {
      ...port,
      terminate: () => {
        this.terminated++;
        return port.terminate();
      },
    };
  });

  connect(settings: Settings = {}, service = "tasks"): ThreadClient<Task, unknown, string> {
    return new ThreadClient({ spawn: () => this.#shared.connect(service), settings });
  }
}

Deno.test("SharedThread: each connection has a service of its own, in one thread", async () => {
  const threads = new Threads();
  assertEquals(threads.started, 0);
  const [first, second] = [threads.connect(), threads.connect({}, "otherTasks")];
  assertEquals(await Promise.all([first.request({ echo: 1 }), second.request({ echo: 2 })]), [1, 2]);
  assertEquals(await Promise.all([first.request({ do: "count" }), second.request({ do: "count" })]), [2, 2]);
  const late = threads.connect();
  assertEquals(await late.request({ do: "count" }), 1);
  assertEquals([threads.started, threads.terminated], [1, 0]);
  await Promise.all([first, second, late].map((client) => client.terminate()));
});

Deno.test("SharedThread: the thread ends with its last connection, and the next one starts another", async () => {
  const threads = new Threads();
  const [first, second] = [threads.connect(), threads.connect()];
  await Promise.all([first.opened, second.opened]);
  await first.close();
  assertEquals([await second.request({ do: "count" }), threads.terminated], [1, 0]);
  const blocked = gate();
  const pending = second.request({ block: blocked }).catch((error) => error);
  await second.terminate();
  assertEquals(((await pending) as ThreadError).code, "closed");
  assertEquals([threads.started, threads.terminated], [1, 1]);
  release(blocked);
  await using third = threads.connect();
  assertEquals(await third.request({ do: "count" }), 1);
  assertEquals(threads.started, 2);
});

Deno.test("SharedThread: a service that cannot be opened leaves the others", async () => {
  const threads = new Threads();
  await using first = threads.connect();
  await using failed = threads.connect({ openError: "No file" });
  const error = await assertRejects(() => failed.opened, ThreadError);
  assertEquals((error.cause as Error).message, "No file");
  await using second = threads.connect();
  assertEquals(await Promise.all([first, second].map((client) => client.request({ echo: 1 }))), [1, 1]);
  assertEquals([threads.started, threads.terminated], [1, 0]);
});

Deno.test("SharedThread: if the thread fails, all connections end, and the next one starts another", async () => {
  const threads = new Threads();
  const [first, second] = [threads.connect(), threads.connect()];
  await second.opened;
  const pending = second.request({ echo: 1 });
  const crash = first.request({ do: "crash" });
  await assertRejects(() => crash, ThreadError);
  await pending.catch(() => {});
  await assertRejects(() => second.request({ echo: 1 }), ThreadError);
  assertEquals([first.state, second.state], ["failed", "failed"]);
  await using third = threads.connect();
  assertEquals(await third.request({ echo: 1 }), 1);
  assertEquals(threads.started, 2);
});

Deno.test("SharedThread: a connection that is terminated while the thread starts gets nothing", async () => {
  const threads = new Threads();
  const [first, second] = [threads.connect(), threads.connect()];
  const lost = first.request({ echo: 1 }).catch((error) => error);
  await first.terminate();
  assertEquals(((await lost) as ThreadError).code, "closed");
  assertEquals(await second.request({ echo: 2 }), 2);
  await second.terminate();
  assertEquals([threads.started, threads.terminated], [1, 1]);
});
