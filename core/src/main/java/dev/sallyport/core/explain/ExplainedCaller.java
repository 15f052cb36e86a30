package dev.sallyport.core.explain;

import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.spi.Principal;
import org.jspecify.annotations.Nullable;

/**
 * Whose request is explained.
 *
 * @param refusal what such callers get whatever they ask for, or null
 */
public record ExplainedCaller(Principal principal, @Nullable Refusal refusal) {}
