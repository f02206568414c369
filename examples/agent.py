"""Stores a note, finds it and deletes it. Python standard library, MCP 2026-07-28."""

import itertools
import json
import os
import urllib.request

URL = os.environ.get("MCP_URL", "http://127.0.0.1:8808/mcp")
KEY = os.environ.get("KB_MCP_API_KEY")
VERSION = "2026-07-28"

ids = itertools.count(1)


def call_tool(name, arguments):
    """Calls a tool and returns its structured content. This protocol version needs no initialize."""
    message = {
        "jsonrpc": "2.0",
        "id": next(ids),
        "method": "tools/call",
        "params": {
            "name": name,
            "arguments": arguments,
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": VERSION,
                "io.modelcontextprotocol/clientInfo": {"name": "example-agent", "version": "1.0.0"},
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    }
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": VERSION,
        "Mcp-Method": "tools/call",
        "Mcp-Name": name,
    }
    if KEY:
        headers["Authorization"] = f"Bearer {KEY}"
    request = urllib.request.Request(URL, json.dumps(message).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as response:
        result = json.load(response)["result"]
    if result.get("isError"):
        raise RuntimeError(result["content"][0]["text"])
    return result["structuredContent"]


note = call_tool(
    "kb_addnote",
    {"text": "The user prefers short answers.", "collection": "memory", "tags": ["preference"]},
)
# Ingestion is a job. A short note is usually stored before kb_addnote returns.
if "document_id" not in note:
    note = call_tool("kb_jobs", {"job_id": note["job_id"], "wait": 30})["jobs"][0]

for result in call_tool("kb_search", {"query": "answer style", "collection": "memory"})["results"]:
    print(f"{result['document_id']}: {result['text']}")

call_tool("kb_delete", {"document_id": note["document_id"]})
