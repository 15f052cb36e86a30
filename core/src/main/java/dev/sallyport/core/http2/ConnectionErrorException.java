package dev.sallyport.core.http2;

import io.netty.handler.codec.http2.Http2Error;

/** Ends an HTTP/2 connection (RFC 9113, 5.4.1). Has no stack trace: it is an answer, not a fault of ours. */
public final class ConnectionErrorException extends Exception {

    private static final long serialVersionUID = 1L;

    private final Http2Error code;
    private final String detail;

    public ConnectionErrorException(Http2Error code, String detail) {
        super(detail, null, false, false);
        this.code = code;
        this.detail = detail;
    }

    public static ConnectionErrorException protocol(String detail) {
        return new ConnectionErrorException(Http2Error.PROTOCOL_ERROR, detail);
    }

    static ConnectionErrorException frameSize(String detail) {
        return new ConnectionErrorException(Http2Error.FRAME_SIZE_ERROR, detail);
    }

    public static ConnectionErrorException flowControl(String detail) {
        return new ConnectionErrorException(Http2Error.FLOW_CONTROL_ERROR, detail);
    }

    public static ConnectionErrorException flood(String detail) {
        return new ConnectionErrorException(Http2Error.ENHANCE_YOUR_CALM, detail);
    }

    public Http2Error code() {
        return code;
    }

    public String detail() {
        return detail;
    }
}
