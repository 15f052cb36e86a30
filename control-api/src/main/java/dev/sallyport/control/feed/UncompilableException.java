package dev.sallyport.control.feed;

/** Policies of which no pipeline can be made. The message says why, and what was expected. */
final class UncompilableException extends Exception {

    private static final long serialVersionUID = 1L;

    UncompilableException(String message) {
        super(message, null, false, false);
    }
}
