package dev.sallyport.spi;

/** Reads one secret. Used by one thread at a time. */
public interface SecretSource extends AutoCloseable {

    /** The name of the secret in audit records and messages: the variable, path or reference. Never the value. */
    String name();

    /**
     * Reads the value. May block; must end promptly when interrupted. The engine extracts {@code json_key} and caches.
     *
     * @throws SecretException when there is no value; its message is shown to the operator
     */
    SecretValue read() throws SecretException, InterruptedException;

    @Override
    default void close() {}
}
