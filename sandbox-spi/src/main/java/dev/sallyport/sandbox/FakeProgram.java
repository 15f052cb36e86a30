package dev.sallyport.sandbox;

import org.jspecify.annotations.Nullable;

/**
 * What a made-up guest does with a task.
 *
 * @param output what it writes at once
 * @param code how it ends at once; null when it runs until {@link FakeDriver#endTask}
 */
public record FakeProgram(String output, @Nullable Integer code) {}
