package dev.sallyport.core.tls;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** Fatal alerts (RFC 8446, 6.2) that can be sent before a handshake, in cleartext. */
public enum TlsAlert {
    /** Policy refuses the connection. */
    ACCESS_DENIED(49),
    /** The client did not send a ClientHello. */
    DECODE_ERROR(50),
    /** The origin cannot be reached. */
    INTERNAL_ERROR(80);

    private static final int ALERT = 21;
    private static final int FATAL = 2;
    private static final int LENGTH = 2;
    private static final int TLS_1_0 = 0x0301;
    private static final int TLS_1_2 = 0x0303;

    private final int code;

    TlsAlert(int code) {
        this.code = code;
    }

    /**
     * The alert as a record.
     *
     * @param version the client's legacy_version; later versions than TLS 1.2 are written as 1.2 (RFC 8446, 5.1)
     */
    public ByteBuf record(ByteBufAllocator allocator, int version) {
        return allocator
                .buffer(7, 7)
                .writeByte(ALERT)
                .writeShort(Math.clamp(version, TLS_1_0, TLS_1_2))
                .writeShort(LENGTH)
                .writeByte(FATAL)
                .writeByte(code);
    }
}
