"""client.py URL MODE TOOL...: what the official SDK's client sees of a server, a line for each thing."""

import asyncio
import sys

from mcp import Client
from mcp.client.sse import sse_client
from mcp.shared.exceptions import MCPError

heard = []


async def progress(done, total, message):
    heard.append(f"{done}/{total}")


async def main(url, mode, tools):
    server = sse_client(url) if mode == "events" else url
    async with Client(server, mode="legacy" if mode == "events" else mode, read_timeout_seconds=20) as client:
        print("server", client.server_info.name, client.protocol_version)
        print("tools", sorted(tool.name for tool in (await client.list_tools()).tools))
        for tool in tools:
            try:
                result = await client.call_tool(tool, {"text": "hello"} if tool == "echo" else {}, progress_callback=progress)
                print(tool, [part.text for part in result.content])
            except MCPError as error:
                print(tool, "failed", error.code, error.message)
        print("heard", heard)


asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
