package dev.sallyport.core;

import java.time.Instant;

/**
 * A reload that has ended.
 *
 * @param at when it ended
 */
public record LastReload(Instant at, ReloadResult result) {}
