package dev.sallyport.core.net;

/**
 * How the connections ended that were open at shutdown.
 *
 * @param finished idle, or done within the time
 * @param aborted closed when the time was over
 */
public record DrainReport(int finished, int aborted) {}
