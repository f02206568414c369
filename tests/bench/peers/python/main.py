"""An MCP server with one tool that does nothing: `main.py PORT`. Prints its URL once it listens."""

import socket
import sys

import uvicorn
from mcp import types
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError

NOOP = types.Tool(
    name="noop",
    description="Does nothing.",
    input_schema={"type": "object", "properties": {}, "additionalProperties": False},
    output_schema={
        "type": "object",
        "properties": {"ok": {"type": "boolean"}},
        "required": ["ok"],
        "additionalProperties": False,
    },
)


async def list_tools(
    _: ServerRequestContext, __: types.PaginatedRequestParams | None
) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[NOOP])


async def call_tool(_: ServerRequestContext, params: types.CallToolRequestParams) -> types.CallToolResult:
    if params.name != "noop":
        raise MCPError(types.INVALID_PARAMS, "unknown tool")
    return types.CallToolResult(
        content=[types.TextContent(text='{"ok":true}')], structured_content={"ok": True}
    )


class ConstantToken:
    async def verify_token(self, token: str) -> AccessToken | None:
        return AccessToken(token=token, client_id="bench", scopes=[]) if token == "bench-token" else None


def main() -> None:
    listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
    url = "http://{}:{}".format(*listener.getsockname())
    server = Server("peer", version="0.0.0", on_list_tools=list_tools, on_call_tool=call_tool)
    app = server.streamable_http_app(
        json_response=True,
        stateless_http=True,
        # The load generator sends Host without a port, which the default list rejects.
        transport_security=TransportSecuritySettings(allowed_hosts=["127.0.0.1"]),
        auth=AuthSettings(issuer_url="http://127.0.0.1", resource_server_url=None),
        token_verifier=ConstantToken(),
    )
    print(f"ready at {url}", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])


main()
