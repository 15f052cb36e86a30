package dev.sallyport.feed;

/** What came in is no snapshot that can be applied. The message holds no secret. */
final class UnusableSnapshotException extends Exception {

    private static final long serialVersionUID = 1L;

    UnusableSnapshotException(String message) {
        super(message);
    }
}
