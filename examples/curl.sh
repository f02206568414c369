#!/usr/bin/env bash
# Stores a note, uploads a file, finds both and deletes them, with curl.
set -euo pipefail

url=${MCP_URL:-http://127.0.0.1:8808/mcp}

# call TOOL ARGUMENTS: prints the result of a tool call as one line of JSON.
call() {
  curl -sS --fail-with-body -w '\n' "$url" \
    -H "Authorization: Bearer ${KB_MCP_API_KEY:-}" \
    -H 'Content-Type: application/json' \
    -H 'Accept: application/json, text/event-stream' \
    -H 'MCP-Protocol-Version: 2025-11-25' \
    -d "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/call\", \"params\": {\"name\": \"$1\", \"arguments\": $2}}"
}

# field NAME: prints a field of the structured content on standard input, a string or a number.
field() { sed -nE "s/.*\"structuredContent\":.*\"$1\":\"?([^\",}]+).*/\1/p"; }

note=$(call kb_addnote '{"text": "The user prefers short answers.", "collection": "memory"}' | field document_id)

file=$(mktemp)
trap 'rm -f "$file"' EXIT
printf '# Answers\n\nShort answers fit on one screen.\n' >"$file"
started=$(call kb_upload_start "{\"filename\": \"answers.md\", \"total_size\": $(wc -c <"$file")}")
# The upload URL is its own authorization: no token needed.
curl -sS --fail-with-body -T "$file" "$(field upload_url <<<"$started")" >/dev/null
finished=$(call kb_upload_finish "{\"upload_id\": \"$(field upload_id <<<"$started")\"}")
document=$(field document_id <<<"$finished")

call kb_search '{"query": "short answers"}'

call kb_delete "{\"document_id\": $note}" >/dev/null
call kb_delete "{\"document_id\": $document}" >/dev/null
