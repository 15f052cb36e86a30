package dev.sallyport.transforms.grpc;

import dev.sallyport.grpc.NoConnectionException;
import io.grpc.Status;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.time.Duration;
import javax.net.ssl.SSLException;

/** A call ended without an answer. */
final class CallFailedException extends Exception {

    private static final long serialVersionUID = 1L;
    private static final int MAX_DESCRIPTION = 256;
    private static final int MAX_CAUSES = 16;

    private final Status.Code code;

    CallFailedException(Status status) {
        super(text(status), null, false, false);
        this.code = status.getCode();
    }

    Status.Code code() {
        return code;
    }

    /** The server did not answer within this time. */
    static CallFailedException late(Duration limit) {
        return new CallFailedException(
                Status.DEADLINE_EXCEEDED.withDescription("no answer within " + limit.toMillis() + " ms"));
    }

    /** Of a library's own failures, which have a cause, the text depends on the library. */
    private static String text(Status status) {
        if (status.getCause() != null) {
            return status.getCode() + ": " + why(status.getCause());
        }
        String description = status.getDescription();
        if (description == null || description.isEmpty()) {
            return status.getCode().toString();
        }
        return status.getCode() + ": " + Texts.cut(description, MAX_DESCRIPTION);
    }

    private static String why(Throwable failure) {
        boolean tls = false;
        Throwable cause = failure;
        for (int i = 0; cause != null && i < MAX_CAUSES; i++, cause = cause.getCause()) {
            if (cause instanceof NoConnectionException) {
                return Texts.cut(String.valueOf(cause.getMessage()), MAX_DESCRIPTION);
            }
            if (cause instanceof CertificateException || cause instanceof CertPathBuilderException) {
                return "the server's certificate is not trusted, or not its own";
            }
            tls |= cause instanceof SSLException;
        }
        return tls ? "the TLS handshake failed" : "the connection broke";
    }
}
