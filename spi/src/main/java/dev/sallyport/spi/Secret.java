package dev.sallyport.spi;

/** A secret that the engine resolves and keeps fresh. Thread-safe; the look-ups do not block. */
public interface Secret {

    /** The source's name for it, such as the environment variable: what audit records and messages show. */
    String name();

    /** Whether the secret has a value now. */
    boolean available();

    /**
     * The current value.
     *
     * @throws IllegalStateException when there is none
     */
    SecretValue value();

    /** Why there is no value, in words for those whose requests need it; empty where there is one, or nothing is to be said. */
    default String whyUnavailable() {
        return "";
    }

    /** Grows with every change of the value; 0 while there is none. Compare it to rebuild what depends on the value. */
    long version();
}
