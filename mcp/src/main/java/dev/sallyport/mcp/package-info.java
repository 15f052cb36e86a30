/**
 * The MCP interceptor: judges the messages that clients send to MCP servers, and removes from the answers what a policy
 * does not list. It knows JSON-RPC and server-sent events, but not how they are transported.
 *
 * <p>Starting points: {@link dev.sallyport.mcp.McpFactory}, {@code McpInterceptor} (the head of a request),
 * {@code RequestJudge} (its messages), {@code ResponseJudge} (the answer), {@code ServerPolicy} (what is allowed).
 */
@NullMarked
package dev.sallyport.mcp;

import org.jspecify.annotations.NullMarked;
