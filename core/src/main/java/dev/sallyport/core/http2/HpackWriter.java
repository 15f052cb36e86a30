package dev.sallyport.core.http2;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.util.AsciiString;
import org.jspecify.annotations.Nullable;

/**
 * Writes the header blocks of one HTTP/2 connection (RFC 7541), in the order in which they are sent, because each may
 * change the table to which the next one refers. Both sides send the same fields of a message: see
 * {@link OutgoingFields}. Not thread-safe.
 */
public final class HpackWriter {

    private static final int MAX_TABLE = 4096;
    private static final int TABLE_HASH_SIZE = 16;
    private static final AsciiString STATUS = AsciiString.cached(":status");
    private static final AsciiString METHOD = AsciiString.cached(":method");
    private static final AsciiString SCHEME = AsciiString.cached(":scheme");
    private static final AsciiString AUTHORITY = AsciiString.cached(":authority");
    private static final AsciiString PATH = AsciiString.cached(":path");
    private static final AsciiString PROTOCOL = AsciiString.cached(":protocol");

    private final OutgoingFields fields = new OutgoingFields();
    private final DefaultHttp2HeadersEncoder encoder;

    /** A writer with the default table of 4096 bytes. */
    public HpackWriter() {
        OutgoingFields lines = fields;
        encoder = new DefaultHttp2HeadersEncoder(
                (name, value) -> lines.isNeverIndexed(), true, TABLE_HASH_SIZE, Integer.MAX_VALUE);
    }

    /** The peer's SETTINGS_HEADER_TABLE_SIZE; no more than the default is used. */
    public void tableSize(long size) {
        try {
            encoder.configuration().maxHeaderTableSize(Math.min(size, MAX_TABLE));
        } catch (Http2Exception e) {
            throw new IllegalArgumentException("table size: " + size + " (expected: 0 to 4294967295)", e);
        }
    }

    /**
     * Writes the block of a response.
     *
     * @param keepLength whether its {@code Content-Length} is written
     * @throws IllegalArgumentException when a field cannot be sent, before anything is written
     */
    public void response(int status, HeaderBlock headers, boolean keepLength, ByteBuf out) {
        fields.begin(OutgoingFields.Kind.RESPONSE, headers, keepLength);
        fields.pseudo(STATUS, Integer.toString(status));
        write(out);
    }

    /**
     * Writes the block of a request. Its {@code Host} becomes {@code :authority}.
     *
     * @param authority used when the head has no {@code Host}
     * @param protocol the protocol of an extended CONNECT (RFC 8441, 4), or null for the request as it is
     * @param maxListBytes the longest section that the peer accepts
     * @return whether the peer accepts it; otherwise nothing was written
     * @throws IllegalArgumentException when a field cannot be sent, before anything is written
     */
    public boolean request(
            RequestMessage head,
            String scheme,
            String authority,
            @Nullable String protocol,
            long maxListBytes,
            ByteBuf out) {
        fields.begin(
                protocol == null ? OutgoingFields.Kind.REQUEST : OutgoingFields.Kind.UPGRADE, head.headers(), true);
        if (protocol == null) {
            fields.pseudo(METHOD, head.method());
        } else {
            fields.pseudo(PROTOCOL, protocol);
            fields.pseudo(METHOD, "CONNECT");
        }
        String host = head.headers().first("Host");
        fields.pseudo(SCHEME, scheme);
        fields.pseudo(AUTHORITY, host == null || host.isEmpty() ? authority : host);
        fields.pseudo(PATH, head.target());
        if (maxListBytes < Long.MAX_VALUE && fields.listBytes() > maxListBytes) {
            fields.end();
            return false;
        }
        write(out);
        return true;
    }

    /**
     * Writes the block of trailers, without fields that route or frame a message or belong to a connection (RFC 9110,
     * 6.5.1).
     *
     * @throws IllegalArgumentException when a field cannot be sent, before anything is written
     */
    public void trailers(HeaderBlock trailers, ByteBuf out) {
        fields.begin(OutgoingFields.Kind.TRAILERS, trailers, false);
        write(out);
    }

    /** Releases what is held. */
    public void close() {
        encoder.close();
    }

    private void write(ByteBuf out) {
        try {
            encoder.encodeHeaders(0, fields, out);
        } catch (Http2Exception e) {
            throw new IllegalArgumentException("header fields that cannot be encoded", e);
        } finally {
            fields.end();
        }
    }
}
