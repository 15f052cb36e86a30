package dev.sallyport.core.net;

import io.netty.handler.codec.http2.Http2Error;

/** Ends an HTTP/2 connection (RFC 9113, 5.4.1). Has no stack trace: it is an answer, not a fault of ours. */
final class ConnectionFault extends Exception {

    private static final long serialVersionUID = 1L;

    private final Http2Error code;
    private final String detail;

    ConnectionFault(Http2Error code, String detail) {
        super(detail, null, false, false);
        this.code = code;
        this.detail = detail;
    }

    static ConnectionFault protocol(String detail) {
        return new ConnectionFault(Http2Error.PROTOCOL_ERROR, detail);
    }

    static ConnectionFault frameSize(String detail) {
        return new ConnectionFault(Http2Error.FRAME_SIZE_ERROR, detail);
    }

    static ConnectionFault flood(String detail) {
        return new ConnectionFault(Http2Error.ENHANCE_YOUR_CALM, detail);
    }

    Http2Error code() {
        return code;
    }

    String detail() {
        return detail;
    }
}
