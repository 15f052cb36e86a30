package dev.sallyport.core.net;

import dev.sallyport.core.http2.FrameReader;
import io.netty.buffer.ByteBuf;

/** The protocol of a connection or tunnel, as its first bytes show it. */
enum SniffedProtocol {
    /** A TLS record of type handshake (RFC 8446, 5.1). */
    TLS,
    /** The method of an HTTP request. */
    HTTP,
    /** The preface of HTTP/2 (RFC 9113, 3.4). */
    HTTP2,
    /** A SOCKS5 greeting (RFC 1928, 3). */
    SOCKS5,
    /** None of these. */
    UNKNOWN,
    /** Not decided yet. */
    MORE;

    private static final int HANDSHAKE = 22;
    private static final int TLS_MAJOR = 3;
    private static final int SOCKS_VERSION = 5;
    private static final int LONGEST_METHOD = 24;

    /** Looks without consuming. */
    static SniffedProtocol of(ByteBuf in) {
        int length = in.readableBytes();
        if (length == 0) {
            return MORE;
        }
        int first = in.getUnsignedByte(in.readerIndex());
        if (first == SOCKS_VERSION) {
            return SOCKS5;
        }
        if (first == HANDSHAKE) {
            if (length == 1) {
                return MORE;
            }
            return in.getUnsignedByte(in.readerIndex() + 1) == TLS_MAJOR ? TLS : UNKNOWN;
        }
        SniffedProtocol preface = preface(in);
        return preface == UNKNOWN ? method(in, length) : preface;
    }

    /** {@link #HTTP2}, {@link #UNKNOWN}, or {@link #MORE} as long as it may be either. Looks without consuming. */
    static SniffedProtocol preface(ByteBuf in) {
        int length = Math.min(in.readableBytes(), FrameReader.PREFACE.length);
        for (int i = 0; i < length; i++) {
            if (in.getByte(in.readerIndex() + i) != FrameReader.PREFACE[i]) {
                return UNKNOWN;
            }
        }
        return length == FrameReader.PREFACE.length ? HTTP2 : MORE;
    }

    /** Letters and hyphens up to a space: a banner such as {@code SSH-2.0-...} is not a method. */
    private static SniffedProtocol method(ByteBuf in, int length) {
        for (int i = 0; i < Math.min(length, LONGEST_METHOD + 1); i++) {
            int c = in.getUnsignedByte(in.readerIndex() + i);
            if (c == ' ' && i > 0) {
                return HTTP;
            }
            boolean letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c == '-' && i > 0);
            if (!letter) {
                return UNKNOWN;
            }
        }
        return length > LONGEST_METHOD ? UNKNOWN : MORE;
    }
}
