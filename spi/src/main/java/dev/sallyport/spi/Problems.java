package dev.sallyport.spi;

/** Collects what is wrong with a configuration, so that all of it can be told at once. */
@FunctionalInterface
public interface Problems {

    /**
     * Adds a problem.
     *
     * @param pointer JSON pointer (RFC 6901) relative to the plug-in's {@code config}, such as {@code /rules/0/host};
     *     empty for the whole
     * @param message what is wrong; never a secret
     * @param expected what would be right; empty when the message says it
     */
    void add(String pointer, String message, String expected);
}
