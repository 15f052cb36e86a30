"""mounts.py routed|mounted: a stateless server of the official SDK, at a route or mounted below a path. Prints its port."""

import contextlib
import socket
import sys

import uvicorn
from mcp.server.mcpserver import MCPServer
from starlette.applications import Starlette
from starlette.routing import Mount

server = MCPServer("mounts")


@server.tool()
def wipe() -> str:
    return "wiped"


def mounted():
    inner = server.streamable_http_app(streamable_http_path="/", stateless_http=True, json_response=True)

    @contextlib.asynccontextmanager
    async def lifespan(app):
        async with server.session_manager.run():
            yield

    # The whole path is the SDK's: whatever is below the mount gets to the handler.
    handler = inner.routes[0].endpoint
    return Starlette(routes=[Mount("/mcp", app=handler)], lifespan=lifespan)


app = mounted() if sys.argv[1] == "mounted" else server.streamable_http_app(stateless_http=True, json_response=True)
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen()
print("port", listener.getsockname()[1], flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
