"""A server of the official SDK. Prints its port."""

import socket

import uvicorn
from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("python")


@server.tool()
def echo(text: str) -> str:
    return "echoed " + text


@server.tool(name="größe")
def size() -> str:
    return "six"


@server.tool()
async def slow(context: Context) -> str:
    for step in (1, 2, 3):
        await context.report_progress(step, 3)
    return "slow has ended"


@server.tool()
def wipe() -> str:
    return "wiped"


listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen()
print("port", listener.getsockname()[1], flush=True)
uvicorn.Server(uvicorn.Config(server.streamable_http_app(), log_level="warning")).run(sockets=[listener])
