import type { EngineStatus } from "../../contract/mod.ts";
import type { Labels, MetricsRegistry } from "../../telemetry/mod.ts";
import type { KnowledgeBase } from "../knowledge_base/mod.ts";

/** The part of the status that metrics show. */
type Status = Partial<EngineStatus>;

/**
 * Adds metrics of the stored data and the queue. They are read from the status of the knowledge base, once each time
 * that metrics are exposed; without a status, as of damaged data, they are missing.
 */
export function addEngineMetrics(
  metrics: MetricsRegistry,
  knowledgeBase: Pick<KnowledgeBase, "status">,
): void {
  let status: Status | undefined;
  metrics.onRefresh(async () => {
    status = await knowledgeBase.status().catch(() => undefined);
  });
  const gauge = (
    name: string,
    help: string,
    read: (status: Status) => number | Iterable<readonly [Labels, number]> | undefined,
  ) => metrics.observed(name, { type: "gauge", help, read: () => status && read(status) });

  gauge("kb_engine_documents", "Documents by type.", ({ documents }) => byLabel("type", documents?.by_type));
  gauge("kb_engine_chunks", "Chunks of documents.", ({ chunks }) => chunks);
  gauge(
    "kb_engine_trash_documents",
    "Deleted documents that can be restored.",
    ({ trash }) => trash?.documents,
  );
  gauge("kb_engine_vectors", "Chunks with a vector.", ({ vectors }) => vectors?.embedded);
  gauge(
    "kb_engine_vectors_missing",
    "Chunks that are still without a vector.",
    ({ vectors }) => vectors ? vectors.total - vectors.embedded - (vectors.refused ?? 0) : undefined,
  );
  gauge(
    "kb_engine_embedding_model_up",
    "1 while the embedding model works, otherwise 0.",
    ({ vectors }) => vectors ? Number(vectors.error === null || vectors.error === undefined) : undefined,
  );
  gauge("kb_engine_jobs", "Ingestion jobs by status; ended ones are pruned in time.", ({ queue }) => {
    const { queued, processing, done, failed } = (queue ?? {}) as Record<string, number>;
    return byLabel("status", { queued, processing, done, failed });
  });
  gauge("kb_engine_queue_depth", "Jobs that are queued or processed.", ({ queue }) => {
    const { queued = 0, processing = 0 } = (queue ?? {}) as Record<string, number>;
    return queued + processing;
  });
  gauge(
    "kb_engine_queue_limit",
    "Maximum number of queued jobs.",
    ({ queue }) => (queue as Record<string, number> | undefined)?.["limit"],
  );
  gauge("kb_engine_storage_bytes", "Bytes on disk, by what they hold.", ({ storage }) => {
    const { database_bytes: database, spool_bytes: spool } = (storage ?? {}) as Record<string, number>;
    return byLabel("kind", { database, spool });
  });
  gauge(
    "kb_engine_storage_up",
    "1 while changes can be stored, otherwise 0.",
    ({ storage }) => storage?.state === undefined ? undefined : Number(storage.state === "ok"),
  );
}

/** Returns one value per name, without the unknown ones. */
function* byLabel(
  label: string,
  values: Readonly<Record<string, number | undefined>> = {},
): Iterable<readonly [Labels, number]> {
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) yield [{ [label]: name }, value];
  }
}
