package dev.sallyport.transforms.grpc;

/** An answer that cannot be used. The message says what is wrong and contains no value of a header or body. */
final class InvalidAnswerException extends Exception {

    private static final long serialVersionUID = 1L;

    InvalidAnswerException(String message) {
        super(message, null, false, false);
    }
}
