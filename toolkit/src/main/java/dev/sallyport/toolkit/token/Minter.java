package dev.sallyport.toolkit.token;

/** Obtains tokens with the credentials of one entry of the configuration. Thread-safe. */
public interface Minter {

    /**
     * Increases whenever one of the credentials changes, such as the sum of {@link dev.sallyport.spi.Secret#version()}
     * over them. Asked for every request: must not block, and should not allocate.
     */
    long credentials();

    /**
     * Obtains a token with the current credentials. Called on a virtual thread, by one thread at a time unless the
     * credentials change meanwhile; may block, and must end promptly when interrupted.
     *
     * @throws MintException when no token can be obtained
     */
    AccessToken mint() throws MintException, InterruptedException;
}
