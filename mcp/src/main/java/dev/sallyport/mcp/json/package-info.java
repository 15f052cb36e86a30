/**
 * JSON as it must be where a policy depends on it: one reading or none.
 *
 * <p>Starting points: {@link dev.sallyport.mcp.json.JsonParser}, {@link dev.sallyport.mcp.json.Json}.
 */
@NullMarked
package dev.sallyport.mcp.json;

import org.jspecify.annotations.NullMarked;
