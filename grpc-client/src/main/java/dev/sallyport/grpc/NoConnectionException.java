package dev.sallyport.grpc;

import java.io.IOException;

/** There was no connection with the server. The message is the connector's, and fit for audit records. */
public final class NoConnectionException extends IOException {

    private static final long serialVersionUID = 1L;

    NoConnectionException(IOException cause) {
        super(cause.getMessage(), cause);
    }
}
