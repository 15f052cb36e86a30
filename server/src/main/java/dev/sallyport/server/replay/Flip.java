package dev.sallyport.server.replay;

import dev.sallyport.core.explain.Explanation.Verdict;
import dev.sallyport.server.record.LinePosition;
import org.jspecify.annotations.Nullable;

/**
 * A recorded exchange whose verdict would change. Texts come from workloads.
 *
 * @param at where its record stands
 * @param url as a client would have to write it
 * @param code why it would be refused or fail, or null
 */
public record Flip(
        LinePosition at,
        String exchangeId,
        String method,
        String url,
        Verdict before,
        Verdict now,
        @Nullable String code) {}
