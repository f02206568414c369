"""Adds a note through an MCP server that the command line starts, and prints what came back as JSON."""

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main() -> None:
    server = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:], env=dict(os.environ))
    async with stdio_client(server) as (read, write):
        async with ClientSession(read, write) as session:
            await session.initialize()
            tools = (await session.list_tools()).tools
            result = await session.call_tool("kb_addnote", {"text": "The ferry leaves at seven."})
            document_id = result.structured_content["document_id"]
            print(json.dumps({"tools": len(tools), "document_id": document_id}))


asyncio.run(main())
