package dev.sallyport.sources.vault;

/** Text that is no reference to a secret. The message says what is wrong with it. */
final class BadReferenceException extends Exception {

    private static final long serialVersionUID = 1L;

    BadReferenceException(String message) {
        super(message);
    }
}
