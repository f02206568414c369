import { assertEquals } from "@std/assert";
import { editJsonc } from "../../../src/cli/connect_client/edit_jsonc.ts";
import { editToml } from "../../../src/cli/connect_client/edit_toml.ts";

const url = "http://127.0.0.1:8808/mcp";

Deno.test("editJsonc keeps comments, indentation, line ends and members of others", () => {
  const text = [
    "// settings",
    "{",
    "\t/* theme */",
    '\t"theme": "dark",',
    '\t"mcpServers": {',
    '\t\t"kb": {',
    '\t\t\t"url": "http://old/mcp", // mine',
    '\t\t\t"disabled": false,',
    "\t\t},",
    '\t\t"other": { "command": "x" }, // keep',
    "\t},",
    "}",
    "",
  ].join("\r\n");
  const edited = editJsonc(text, {
    container: "mcpServers",
    name: "kb",
    entry: { url, headers: { A: "b" } },
  });
  assertEquals(
    edited,
    text.replace('"http://old/mcp"', `"${url}"`)
      .replace(
        '"disabled": false,',
        '"disabled": false,\r\n\t\t\t"headers": {\r\n\t\t\t\t"A": "b"\r\n\t\t\t},',
      ),
  );
  const removed = editJsonc(edited, { container: "mcpServers", name: "kb", entry: undefined });
  assertEquals(removed.includes("kb"), false);
  for (const kept of ["// settings", "/* theme */", '"other": { "command": "x" }, // keep']) {
    assertEquals(removed.includes(kept), true, kept);
  }
});

Deno.test("editJsonc adds an input while an entry refers to it", () => {
  const input = { type: "promptString", id: "kb-mcp-key" };
  const change = { container: "servers", name: "kb", input };
  const entry = { url, headers: { Authorization: "Bearer ${input:kb-mcp-key}" } };
  const added = editJsonc('{ "inputs": [{ "id": "mine" }] }', { ...change, entry });
  assertEquals(JSON.parse(added).inputs, [{ id: "mine" }, input]);
  assertEquals(editJsonc(added, { ...change, entry }), added);
  assertEquals(JSON.parse(editJsonc(added, { ...change, entry: undefined })).inputs, [{ id: "mine" }]);
});

Deno.test("editToml changes its tables only, wherever they are", () => {
  const text = `# top
model = "gpt" # trailing

[mcp_servers.kb] # mine
url = "http://old/mcp"
startup_timeout_sec = 20

[mcp_servers.kb.env]
A = "b"

# about the other server
[mcp_servers.kb2]
command = "x"
args = [
  "[mcp_servers.kb]",
]
`;
  const change = { container: "mcp_servers", name: "kb" };
  const edited = editToml(text, { ...change, entry: { url } });
  assertEquals(
    edited,
    `# top
model = "gpt" # trailing

[mcp_servers.kb]
startup_timeout_sec = 20
url = "${url}"

# about the other server
${text.slice(text.indexOf("[mcp_servers.kb2]"))}`,
  );
  assertEquals(editToml(edited, { ...change, entry: { url } }), edited);
  const removed = editToml(edited, { ...change, entry: undefined });
  assertEquals(removed.includes("8808"), false);
  assertEquals(editToml(removed, { ...change, entry: undefined }), removed);
  assertEquals(
    editToml('model = "gpt"', { ...change, entry: { url } }),
    `model = "gpt"\n\n[mcp_servers.kb]\nurl = "${url}"\n`,
  );
});
