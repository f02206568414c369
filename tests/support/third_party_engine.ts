import type { Handler } from "./recorder.ts";

interface StoredDocument {
  document_id: string;
  title: string | null;
  doc_type: string;
  source_path: string | null;
  tags: string[];
  chunks: { chunk_id: string; text: string }[];
}

/**
 * Returns a minimal third-party engine: ids are strings, jobs have no outcome, storing the same text again
 * merges its tags without regard to collections, chunks have no pages, errors have FastAPI's format, and
 * responses contain unknown fields. Each line of a note is a chunk.
 */
export function thirdPartyEngine(): Handler {
  const documents = new Map<string, StoredDocument>();
  const jobs = new Map<string, unknown>();
  let last = 0;

  const routes: Record<string, (request: Request, id: string, url: URL) => unknown> = {
    "POST /api/v1/jobs": async (request) => {
      const form = await request.formData();
      const text = String(form.get("text"));
      const tags = form.getAll("tags").map(String);
      const same = documents.values().find(({ chunks }) => chunks.map((c) => c.text).join("\n") === text);
      const document = same ?? {
        document_id: `doc-${++last}`,
        title: null,
        doc_type: "note",
        source_path: form.get("source_path") as string | null,
        tags: [],
        chunks: text.split("\n").map((line, i) => ({ chunk_id: `c-${last}-${i}`, text: line })),
      };
      document.tags = [...new Set([...document.tags, ...tags])];
      documents.set(document.document_id, document);
      const job = { job_id: `job-${++last}`, status: "done", document_id: document.document_id, shard: 3 };
      jobs.set(job.job_id, job);
      return { job_id: job.job_id, status: "queued" };
    },
    "GET /api/v1/jobs/": (_request, id) => jobs.get(id),
    "GET /api/v1/documents": (_request, _id, url) => ({
      documents: [...documents.values()].filter(({ source_path }) =>
        source_path === url.searchParams.get("source_path")
      ),
    }),
    "GET /api/v1/documents/": (_request, id) => documents.get(id),
    "POST /api/v1/documents/tags": async (request, id) => {
      const { remove, add } = await request.json() as { remove: string[]; add: string[] };
      const document = documents.get(id);
      if (!document) return undefined;
      document.tags = [...new Set([...document.tags.filter((tag) => !remove.includes(tag)), ...add])];
      return { document_id: id, tags: document.tags };
    },
    "POST /api/v1/search": () => ({
      results: [...documents.values()].map(({ chunks, document_id, tags }) => ({
        ...chunks[0],
        document_id,
        tags,
        score: 1,
        cluster: "a",
      })),
    }),
    "GET /api/v1/status": () => ({ version: "3.1.4", gpu: "none" }),
  };

  return async (request) => {
    const url = new URL(request.url);
    const [, resource, id = "", action = ""] =
      /^\/api\/v1\/(\w+)(?:\/([^/]+))?(?:\/(\w+))?$/.exec(url.pathname) ?? [];
    const route = routes[`${request.method} /api/v1/${resource}${id === "" ? "" : `/${action}`}`];
    const result = await route?.(request, decodeURIComponent(id), url);
    if (result === undefined) return Response.json({ detail: "Not Found" }, { status: 404 });
    return Response.json(result, { status: url.pathname === "/api/v1/jobs" ? 202 : 200 });
  };
}
