/**
 * The MCP interceptor: judges the messages of clients of MCP servers, and takes out of the answers what a policy does not
 * list. It knows JSON-RPC and server-sent events, and nothing of how they travel.
 *
 * <p>Starting points: {@link dev.sallyport.mcp.McpFactory}, {@code McpInterceptor} (the head of a request),
 * {@code RequestJudge} (its messages), {@code ResponseJudge} (the answer), {@code ServerPolicy} (what is allowed).
 */
@NullMarked
package dev.sallyport.mcp;

import org.jspecify.annotations.NullMarked;
