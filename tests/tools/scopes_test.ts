import { assertEquals } from "@std/assert";
import { toolsFor } from "../../src/cli/serve.ts";
import type { Scope } from "../../src/keys/mod.ts";

/**
 * Scope of every tool. A new tool needs a line: `read` if it changes nothing, `add` if it stores new documents only, else
 * `write`.
 */
const SCOPES: Readonly<Record<string, Scope>> = {
  kb_search: "read",
  kb_get: "read",
  kb_list: "read",
  kb_addnote: "add",
  kb_update_note: "write",
  kb_edit: "write",
  kb_upload_start: "add",
  kb_upload_chunk: "add",
  kb_upload_finish: "add",
  kb_set_collection: "write",
  kb_delete: "write",
  kb_history: "read",
  kb_restore: "write",
  kb_jobs: "read",
  kb_status: "read",
  kb_sections: "read",
  kb_context: "read",
  kb_digest: "read",
  kb_health: "read",
  kb_export: "read",
  // Never replaces a file.
  kb_write: "add",
  // Follows changed and deleted files.
  kb_reindex: "write",
  search: "read",
  fetch: "read",
};

/** Arguments that need a wider scope than their tool. */
const ARGUMENTS: Readonly<Record<string, Record<string, Scope>>> = {
  kb_addnote: { overwrite: "write" },
  kb_upload_start: { overwrite: "write" },
  kb_jobs: { action: "write" },
};

const tools = toolsFor({ KB_MCP_COMPAT: "chatgpt", KB_MCP_SOURCE_TOOLS: "on" });

Deno.test("every tool declares its scope", () => {
  assertEquals(Object.fromEntries(tools.map(({ name, scope }) => [name, scope])), SCOPES);
  const declared = tools.flatMap(({ name, argumentScopes }) =>
    argumentScopes ? [[name, argumentScopes]] : []
  );
  assertEquals(Object.fromEntries(declared), ARGUMENTS);
});

Deno.test("a tool that is not read-only needs more than read, unless an argument decides", () => {
  for (const { name, scope, annotations, argumentScopes } of tools) {
    const isRead = scope === "read" && argumentScopes === undefined;
    assertEquals(isRead, annotations.readOnlyHint, name);
  }
});

Deno.test("the arguments that need a wider scope exist, and are optional", () => {
  for (const { name, input, argumentScopes = {} } of tools) {
    for (const argument of Object.keys(argumentScopes)) {
      assertEquals(input.shape[argument]?.safeParse(undefined).success, true, `${name}: ${argument}`);
    }
  }
});
