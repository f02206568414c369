/**
 * Uploads: links to foreign hosts, one client's uploads that displace another's, lenient base64.
 *
 * @module
 */
import type { ServerProcess } from "../../scripts/server_process.ts";
import type { Check } from "./attack.ts";
import { callTool, callToolOk, exchange, mcpRequest } from "./requests.ts";

/** Starts an upload and returns its fields. */
function startUpload(server: ServerProcess, filename: string, totalSize: number) {
  return callToolOk(server, "kb_upload_start", { filename, total_size: totalSize });
}

const target: Check = {
  name: "absolute-form-target",
  async run(attack) {
    const server = await attack.serve();
    const host = new URL(server.url).host;
    const request = mcpRequest("tools/call", {
      name: "kb_upload_start",
      arguments: { filename: "a.txt", total_size: 1 },
    }).replace("host: 127.0.0.1", `host: ${host}`);
    const { status, body } = await exchange(
      server,
      request.replace(" /mcp ", " http://attacker.example/mcp "),
    );
    if (/attacker/.test(body)) throw new Error(`the response must not contain the foreign host: ${body}`);
    const own = await exchange(server, request.replace(" /mcp ", ` http://${host}/mcp `));
    const url = own.status === 200 ? JSON.parse(own.body).result.structuredContent.upload_url : "";
    if (!url.startsWith(`http://${host}/uploads/`)) {
      throw new Error(`the own host in absolute form must work, got ${own.status}: ${own.body}`);
    }
    return `foreign host: status ${status}, own host: ${own.status}`;
  },
};

const eviction: Check = {
  name: "upload-eviction",
  async run(attack) {
    const server = await attack.serve();
    const first = await startUpload(server, "first.txt", 5);
    let refusal = "";
    for (let i = 0; i < 16; i++) {
      const { isError, text } = await callTool(server, "kb_upload_start", {
        filename: `other-${i}.txt`,
        total_size: 5,
      });
      if (isError) refusal = text;
    }
    if (refusal === "") throw new Error("16 more uploads were started, at most 7 fit");
    const { pathname } = new URL(String(first["upload_url"]));
    const put = await fetch(server.url + pathname, { method: "PUT", body: "hello" });
    await put.body?.cancel();
    if (put.status !== 200) throw new Error(`the first link expected status 200, got ${put.status}`);
    return `refused: ${refusal.slice(0, 120)}; the first link works`;
  },
};

const base64: Check = {
  name: "strict-base64",
  async run(attack) {
    const server = await attack.serve();
    const { upload_id } = await startUpload(server, "a.txt", 5);
    for (const data of ["aGVs bG8=", "aGVsbG8=\n", " aGVsbG8=", "aGVsbG8", "aGVsbG9=", "aGVs\tbG8="]) {
      const { isError } = await callTool(server, "kb_upload_chunk", { upload_id, chunk_index: 0, data });
      if (!isError) throw new Error(`${JSON.stringify(data)} must be refused as base64`);
    }
    await callToolOk(server, "kb_upload_chunk", { upload_id, chunk_index: 0, data: "aGVsbG8=" });
    return "6 lenient spellings refused, the strict one accepted";
  },
};

/** Attacks on uploads. */
export const uploads: readonly Check[] = [target, eviction, base64];
