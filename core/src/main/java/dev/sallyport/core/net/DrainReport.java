package dev.sallyport.core.net;

/**
 * The outcome of the connections that were open at shutdown.
 *
 * @param finished idle, or done within the time
 * @param aborted closed when the time was over
 */
public record DrainReport(int finished, int aborted) {}
