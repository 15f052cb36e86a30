package dev.sallyport.spi;

/** Collects the problems of a configuration, so that all are reported at once. */
@FunctionalInterface
public interface Problems {

    /**
     * Adds a problem.
     *
     * @param pointer JSON pointer (RFC 6901) relative to the plug-in's {@code config}, such as {@code /rules/0/host};
     *     empty for the whole
     * @param message what is wrong; never a secret
     * @param expected what was expected; empty when the message says it
     */
    void add(String pointer, String message, String expected);
}
