import { assertEquals } from "@std/assert";
import type { Job } from "../../../src/contract/mod.ts";
import { JobWaiters } from "../../../src/engine/sqlite/job_waiters.ts";

const NEVER_MS = 60_000;

/** Jobs that a test changes, and the number of reads. */
function store(initial: Job) {
  const jobs = { current: initial, reads: 0 };
  const read = () => {
    jobs.reads++;
    return Promise.resolve(jobs.current);
  };
  return { jobs, read };
}

Deno.test("a wait returns when its job has ended, without reading it meanwhile", async () => {
  const waiters = new JobWaiters();
  const { jobs, read } = store({ job_id: 1, status: "queued" });
  const waiting = waiters.wait(1, read, { waitMs: NEVER_MS });
  waiters.notify([2, 3]);
  jobs.current = { job_id: 1, status: "done" };
  waiters.notify([1]);
  assertEquals((await waiting)?.status, "done");
  assertEquals(jobs.reads, 2);
});

Deno.test("the end of a job while it is read is not missed", async () => {
  const waiters = new JobWaiters();
  const reads = [{ job_id: 1, status: "processing" }, { job_id: 1, status: "done" }];
  const read = () => {
    waiters.notify([1]);
    return Promise.resolve(reads.shift());
  };
  assertEquals((await waiters.wait(1, read, { waitMs: NEVER_MS }))?.status, "done");
});

Deno.test("a wait for an archive ends with its files", async () => {
  const waiters = new JobWaiters();
  const { jobs, read } = store({ job_id: 1, status: "done", file_jobs: { queued: 2 } });
  const waiting = waiters.wait(1, read, { waitMs: NEVER_MS });
  jobs.current = { job_id: 1, status: "done", file_jobs: { queued: 1, done: 1 } };
  waiters.notify([1]);
  jobs.current = { job_id: 1, status: "done", file_jobs: { done: 2 } };
  waiters.notify([1]);
  assertEquals((await waiting)?.file_jobs, { done: 2 });
});

Deno.test("a wait ends with its time, its signal, and at once for an unknown job", async () => {
  const waiters = new JobWaiters();
  const { read } = store({ job_id: 1, status: "queued" });
  assertEquals((await waiters.wait(1, read, { waitMs: 1 }))?.status, "queued");
  const stop = new AbortController();
  const waiting = waiters.wait(1, read, { waitMs: NEVER_MS, signal: stop.signal });
  stop.abort();
  assertEquals((await waiting)?.status, "queued");
  const aborted = { waitMs: NEVER_MS, signal: AbortSignal.abort() };
  assertEquals((await waiters.wait(1, read, aborted))?.status, "queued");
  assertEquals(await waiters.wait(2, () => Promise.resolve(undefined), { waitMs: NEVER_MS }), undefined);
});

Deno.test("too many waits return at once", async () => {
  const waiters = new JobWaiters({ maxWaiters: 1 });
  const { jobs, read } = store({ job_id: 1, status: "queued" });
  const first = waiters.wait(1, read, { waitMs: NEVER_MS });
  assertEquals((await waiters.wait(1, read, { waitMs: NEVER_MS }))?.status, "queued");
  jobs.current = { job_id: 1, status: "done" };
  waiters.notify([1]);
  await first;
  const again = await waiters.wait(1, read, { waitMs: NEVER_MS });
  assertEquals(again?.status, "done");
});
