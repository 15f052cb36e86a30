package dev.sallyport.toolkit.token;

/** Obtains tokens with the credentials of one entry of the configuration. Thread-safe. */
public interface Minter {

    /**
     * Grows whenever one of the credentials changes, such as the sum of {@link dev.sallyport.spi.Secret#version()} over
     * them. Asked for every request: must not block, and should not allocate.
     */
    long credentials();

    /**
     * Obtains a token with the credentials as they are now. Called on a virtual thread, by one thread at a time unless
     * the credentials change meanwhile; may block, and must end promptly when interrupted.
     *
     * @throws MintException when there is none to be had
     */
    AccessToken mint() throws MintException, InterruptedException;
}
