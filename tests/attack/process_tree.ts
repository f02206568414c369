/** Size of a process and its descendants. */
export interface ProcessTree {
  readonly processes: number;
  readonly threads: number;
  /** Resident memory in MiB. Pages that processes share are counted for each. */
  readonly residentMiB: number;
  /** Processor time used so far, in seconds. */
  readonly cpuSeconds: number;
  /** Open file descriptors. */
  readonly descriptors: number;
}

/** USER_HZ, which is 100 on every Linux that Deno runs on. */
const TICKS_PER_SECOND = 100;

/** Measures a process and its descendants. Linux only. */
export async function processTree(pid: number): Promise<ProcessTree> {
  const sizes = await Promise.all((await descendants(pid)).map(measure));
  const sum = (value: (size: ProcessTree) => number) => sizes.reduce((total, size) => total + value(size), 0);
  return {
    processes: sum((size) => size.processes),
    threads: sum((size) => size.threads),
    residentMiB: sum((size) => size.residentMiB),
    cpuSeconds: sum((size) => size.cpuSeconds),
    descriptors: sum((size) => size.descriptors),
  };
}

/** Returns the resident memory of a process and its descendants in MiB. */
export async function residentMiB(pid: number): Promise<number> {
  return (await processTree(pid)).residentMiB;
}

/** Watches resident memory, every 50 ms, until it is disposed of. */
export class MemoryWatch implements AsyncDisposable {
  /** Highest resident memory so far, in MiB. */
  peakMiB = 0;
  readonly #stop = new AbortController();
  readonly #watching: Promise<void>;

  constructor(pid: number) {
    this.#watching = (async () => {
      while (!this.#stop.signal.aborted) {
        this.peakMiB = Math.max(this.peakMiB, await residentMiB(pid));
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    })();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#watching;
  }
}

/** Returns a process and its descendants, found by their parents. */
async function descendants(root: number): Promise<number[]> {
  const children = new Map<number, number[]>();
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const parent = Number((await statFields(Number(name)))[1]);
    children.set(parent, [...children.get(parent) ?? [], Number(name)]);
  }
  const found = [root];
  for (const pid of found) found.push(...children.get(pid) ?? []);
  return found;
}

async function measure(pid: number): Promise<ProcessTree> {
  const fields = await statFields(pid);
  const status = await read(`/proc/${pid}/status`);
  let descriptors = 0;
  try {
    for await (const _ of Deno.readDir(`/proc/${pid}/fd`)) descriptors++;
  } catch {
    // The process has ended.
  }
  return {
    processes: status === "" ? 0 : 1,
    threads: Number(/^Threads:\s+(\d+)/m.exec(status)?.[1] ?? 0),
    residentMiB: Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024,
    cpuSeconds: (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS_PER_SECOND,
    descriptors,
  };
}

/** Returns the fields of `/proc/PID/stat` after the name in parentheses, from the state on; see proc(5). */
async function statFields(pid: number): Promise<string[]> {
  const stat = await read(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** Returns the content of a file of `/proc`; empty if the process has ended. */
async function read(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch {
    return "";
  }
}
