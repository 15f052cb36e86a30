package dev.sallyport.transforms.grpc;

import io.grpc.Status;

/** A call ended without an answer. */
final class CallFailedException extends Exception {

    private static final long serialVersionUID = 1L;
    private static final int MAX_DESCRIPTION = 256;

    private final Status.Code code;

    CallFailedException(Status status) {
        super(text(status), null, false, false);
        this.code = status.getCode();
    }

    Status.Code code() {
        return code;
    }

    private static String text(Status status) {
        String description = status.getDescription();
        if (description == null || description.isEmpty()) {
            return status.getCode().toString();
        }
        return status.getCode() + ": " + Texts.cut(description, MAX_DESCRIPTION);
    }
}
