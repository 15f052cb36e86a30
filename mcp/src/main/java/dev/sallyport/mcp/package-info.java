/** Here the MCP interceptor will live, which knows JSON-RPC and SSE and binds the block {@code mcp}; there is no code yet. */
@NullMarked
package dev.sallyport.mcp;

import org.jspecify.annotations.NullMarked;
