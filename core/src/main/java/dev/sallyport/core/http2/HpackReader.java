package dev.sallyport.core.http2;

import dev.sallyport.core.http.HeadMeter;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;

/**
 * Reads the header blocks of one HTTP/2 connection (RFC 7541). It must read all of them in order, also those of closed
 * streams, because each may change the table to which the next one refers. Not thread-safe.
 */
public final class HpackReader {

    private final Lines lines = new Lines();
    private final boolean trimming;
    private final DefaultHttp2HeadersDecoder decoder;

    /**
     * A reader with the default table of 4096 bytes.
     *
     * @param maxListSize names, values and 32 bytes for each field of one section together (RFC 9113, 6.5.2)
     */
    public HpackReader(int maxListSize) {
        this(maxListSize, false);
    }

    /** As {@link #HpackReader}, but drops white space at the ends of values, which others refuse (RFC 9113, 8.2.1). */
    public static HpackReader trimming(int maxListSize) {
        return new HpackReader(maxListSize, true);
    }

    private HpackReader(int maxListSize, boolean trimming) {
        this.trimming = trimming;
        this.decoder = new DefaultHttp2HeadersDecoder(false, maxListSize) {
            @Override
            protected Http2Headers newHeaders() {
                return lines;
            }
        };
    }

    /**
     * Reads one complete block. A section beyond the limit, or beyond what the meter allows, is read to its end and
     * comes back as {@link FieldSection#tooLarge()} or {@link FieldSection#crowdedOut()}.
     *
     * @throws Http2Exception when the block cannot be decoded, after which nothing can: an error of the connection
     */
    public FieldSection read(int stream, ByteBuf block, HeadMeter meter) throws Http2Exception {
        FieldSection section = new FieldSection(meter, trimming);
        lines.target = section;
        try {
            decoder.decodeHeaders(stream, block);
        } catch (Http2Exception.HeaderListSizeException e) {
            section.cut();
        } finally {
            lines.target = NOWHERE;
        }
        return section;
    }

    private static final FieldSection NOWHERE = new FieldSection();

    /** Receives decoded fields; indexed fields keep their strings, so that they cost nothing again. */
    private static final class Lines extends DefaultHttp2Headers {

        private FieldSection target = NOWHERE;

        Lines() {
            super(false, 1);
        }

        @Override
        public Http2Headers add(CharSequence name, CharSequence value) {
            target.add(name.toString(), value.toString());
            return this;
        }
    }
}
