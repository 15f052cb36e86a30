/**
 * Strict JSON for policies: a text has one meaning or is refused.
 *
 * <p>Starting points: {@link dev.sallyport.mcp.json.JsonParser}, {@link dev.sallyport.mcp.json.Json}.
 */
@NullMarked
package dev.sallyport.mcp.json;

import org.jspecify.annotations.NullMarked;
