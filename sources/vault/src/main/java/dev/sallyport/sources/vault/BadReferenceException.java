package dev.sallyport.sources.vault;

/** Text that is not a reference to a secret. The message says why. */
final class BadReferenceException extends Exception {

    private static final long serialVersionUID = 1L;

    BadReferenceException(String message) {
        super(message);
    }
}
