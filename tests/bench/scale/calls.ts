import { type LoadResult, postRequest } from "../load.ts";
import type { ScaleQueries } from "./queries.ts";
import type { RunningProgram } from "./subject.ts";

/** Returns a search of the engine as `kb_search` sends it. */
export function searchRequest(query: string, options: Record<string, unknown> = {}): Uint8Array {
  return postRequest("/api/v1/search", { query, top: 10, mode: "fts", ...options });
}

/** Returns a call of a tool over MCP. */
export function toolRequest(name: string, args: Record<string, unknown>): Uint8Array {
  return postRequest("/mcp", {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: args },
  });
}

/** Returns the job of a new note in the engine. */
export function noteRequest(title: string, text: string): Uint8Array {
  return formRequest({ title, text, tags: "collection:memory" });
}

/** Returns the upload of a Markdown file to the engine. */
export function fileRequest(name: string, text: string): Uint8Array {
  return formRequest({ tags: "collection:documents" }, { name, text });
}

const BOUNDARY = "----kb-mcp-scale";

function formRequest(fields: Record<string, string>, file?: { name: string; text: string }): Uint8Array {
  const parts = Object.entries(fields).map(([name, value]) =>
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  );
  if (file) {
    parts.push(
      `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="${file.name}"\r\n` +
        `content-type: text/markdown\r\n\r\n${file.text}\r\n`,
    );
  }
  const body = new TextEncoder().encode(`${parts.join("")}--${BOUNDARY}--\r\n`);
  const head = [
    "POST /api/v1/jobs HTTP/1.1",
    "host: 127.0.0.1",
    `content-type: multipart/form-data; boundary=${BOUNDARY}`,
    `content-length: ${body.length}`,
  ];
  return new Uint8Array([...new TextEncoder().encode(`${head.join("\r\n")}\r\n\r\n`), ...body]);
}

/** Throws unless a response of a tool is a result without an error. */
export function checkToolResult(body: Uint8Array): void {
  const text = new TextDecoder().decode(body);
  if (!/"structuredContent"/.test(text) || /"isError":true/.test(text)) {
    throw new Error(`Expected the result of a tool, got ${text.slice(0, 500)}`);
  }
}

/** Returns as many different queries as wanted: keywords and questions, then pairs of their words. */
export function distinctQueries({ keywords, questions }: ScaleQueries, count: number, run: number): string[] {
  const own = [...new Set(keywords.flatMap((query, n) => [query, questions[n]!]))];
  const words = keywords.flatMap((query) => query.split(" "));
  const pairs = function* () {
    for (let step = 1 + run; step < words.length; step++) {
      for (let n = 0; n + step < words.length; n += 3) yield `${words[n]} ${words[n + step]}`;
    }
  };
  const start = run * 600 % own.length;
  const queries = new Set([...own.slice(start), ...own.slice(0, start)]);
  for (const query of pairs()) {
    if (queries.size >= count) break;
    queries.add(query);
  }
  return [...queries].slice(0, count);
}

/** Adds the processor time of the program per request to a measurement. */
export async function withProcessorTime(
  program: RunningProgram,
  measure: () => Promise<LoadResult>,
): Promise<LoadResult & { readonly cpuMs: number }> {
  const before = await program.processorMs();
  const result = await measure();
  return { ...result, cpuMs: (await program.processorMs() - before) / result.requests };
}

/** Waits until the queue of an engine is empty. Throws if a job has failed. */
export async function queueEmpty({ url }: RunningProgram): Promise<void> {
  for (;;) {
    const { queue } = await (await fetch(`${url}/api/v1/status`)).json();
    if (queue.queued + queue.processing === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const { jobs } = await (await fetch(`${url}/api/v1/jobs?status=failed&limit=1`)).json();
  if (jobs.length > 0) throw new Error(`A job failed: ${jobs[0].error}`);
}
