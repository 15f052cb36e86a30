package dev.sallyport.transforms.sigv4auth;

/** A content is not what the head of its request says, and must not be completed. */
final class PayloadException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    PayloadException(String message) {
        super(message);
    }
}
