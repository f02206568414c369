import { load } from "../load.ts";
import { searchRequest, withProcessorTime } from "./calls.ts";
import { type Figure, type Row, sizesOf } from "./row.ts";
import { readQueries, sizeName, startProgram, type Subject } from "./subject.ts";
import { DIMENSIONS, serveTextVectors, VECTOR_MODEL } from "./text_vectors.ts";

const QUERIES = 100;
const DISK_QUERIES = 20;
const HYBRID_TARGETS: Record<number, number> = { 100_000: 5, 500_000: 10, 1_000_000: 20 };

async function startWithVectors(
  subject: Subject,
  size: number,
  modelUrl: string,
  env: Record<string, string> = {},
) {
  const dataDir = `${subject.data}/${sizeName(size)}-vectors`;
  const program = await startProgram(subject, "engine", dataDir, {
    KB_EMBEDDINGS_URL: modelUrl,
    KB_EMBEDDINGS_MODEL: VECTOR_MODEL,
    KB_EMBEDDINGS_DIMENSIONS: String(DIMENSIONS),
    ...env,
  });
  return { program, queries: await readQueries(dataDir) };
}

/** Hybrid searches whose query vectors are cached. */
export const hybrid: Row = {
  id: "hybrid",
  title: "hybrid search, query vector cached",
  async measure(context) {
    const figures: Figure[] = [];
    await using model = serveTextVectors();
    for (const size of sizesOf(context, 100_000, 500_000, 1_000_000)) {
      const { program, queries } = await startWithVectors(context.subject, size, model.url);
      await using _ = program;
      const texts = queries.questions.slice(context.run * QUERIES, (context.run + 1) * QUERIES);
      for (const mode of ["hybrid", "vector"]) {
        const run = (top: number) => {
          const request = texts.map((query) => searchRequest(query, { mode, top }));
          return withProcessorTime(
            program,
            () =>
              load({
                port: program.port,
                request,
                connections: 1,
                maxRequests: QUERIES,
                onResponse: (body) => checkMode(body, mode),
              }),
          );
        };
        // Fills the cache of query vectors. Another number of results prevents that a response is repeated.
        await run(9);
        const { p50, p95, cpuMs } = await run(10);
        const atMost = mode === "hybrid" ? HYBRID_TARGETS[size] : undefined;
        figures.push(
          {
            name: `${sizeName(size)}, ${mode}, p50`,
            value: p50,
            unit: "ms",
            ...(atMost && { target: { atMost } }),
          },
          { name: `${sizeName(size)}, ${mode}, p95`, value: p95, unit: "ms" },
          { name: `${sizeName(size)}, ${mode}, processor time`, value: cpuMs, unit: "ms" },
        );
      }
      figures.push({
        name: `${sizeName(size)}, resident`,
        value: (await program.memory()).resident,
        unit: "MiB",
      });
    }
    return figures;
  },
};

/** Vectors that do not fit into `KB_VECTOR_MEMORY`. */
export const vectorsOnDisk: Row = {
  id: "vector-memory",
  title: "vector search beyond KB_VECTOR_MEMORY (64 MiB)",
  async measure(context) {
    const figures: Figure[] = [];
    await using model = serveTextVectors();
    for (const size of sizesOf(context, 500_000)) {
      const env = { KB_VECTOR_MEMORY: String(64 * 2 ** 20) };
      const { program, queries } = await startWithVectors(context.subject, size, model.url, env);
      await using _ = program;
      const texts = queries.questions.slice(0, DISK_QUERIES);
      const run = (top: number) =>
        load({
          port: program.port,
          request: texts.map((query) => searchRequest(query, { mode: "vector", top })),
          connections: 1,
          maxRequests: DISK_QUERIES,
          durationMs: 30_000,
        });
      await run(9);
      const { p50, p95 } = await run(10);
      figures.push(
        { name: `${sizeName(size)}, p50`, value: p50, unit: "ms", target: { atMost: 40 } },
        { name: `${sizeName(size)}, p95`, value: p95, unit: "ms" },
      );
    }
    return figures;
  },
};

function checkMode(body: Uint8Array, mode: string): void {
  const response = JSON.parse(new TextDecoder().decode(body));
  if (response.mode !== mode) {
    throw new Error(`Searched by ${response.mode} in place of ${mode}: ${response.warning}`);
  }
}
