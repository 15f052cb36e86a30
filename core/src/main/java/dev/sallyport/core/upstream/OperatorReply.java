package dev.sallyport.core.upstream;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.spi.HttpReply;
import dev.sallyport.toolkit.coding.CodingException;
import dev.sallyport.toolkit.coding.Codings;
import dev.sallyport.toolkit.coding.DecodeLimits;
import dev.sallyport.toolkit.coding.Decoder;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A reply collected in memory, with its content coding removed. Filled on one loop, then immutable. */
final class OperatorReply implements HttpReply {

    private final int status;
    private final HeaderBlock headers;
    private final @Nullable Decoder decoder;
    private final int maxBytes;
    private final ByteArrayOutputStream collected = new ByteArrayOutputStream();
    private byte[] body = {};

    private OperatorReply(int status, HeaderBlock headers, @Nullable Decoder decoder, int maxBytes) {
        this.status = status;
        this.headers = headers;
        this.decoder = decoder;
        this.maxBytes = maxBytes;
    }

    /** A reply without its body, or null when the body is in an unknown coding. */
    static @Nullable OperatorReply begin(ResponseMessage head, boolean end, int maxBytes) {
        HeaderBlock headers = head.headers();
        Codings codings = Codings.parse(String.join(",", headers.all("Content-Encoding")));
        if (end || codings.isIdentity()) {
            return new OperatorReply(head.status(), headers, null, maxBytes);
        }
        if (!codings.known()) {
            return null;
        }
        headers.removeAll("Content-Encoding");
        headers.removeAll("Content-Length");
        DecodeLimits usual = DecodeLimits.DEFAULT;
        Decoder decoder = codings.decoder(new DecodeLimits(usual.maxRatio(), usual.grace(), maxBytes));
        return new OperatorReply(head.status(), headers, decoder, maxBytes);
    }

    /** Adds some of the body as sent; returns its fault, or null. */
    @Nullable String add(ByteBuffer data) {
        try {
            if (decoder == null) {
                collect(data);
            } else {
                decoder.write(data, this::collect);
            }
        } catch (CodingException e) {
            return "reply body: its content coding is broken, or it is longer than " + maxBytes + " bytes";
        }
        return collected.size() > maxBytes ? "reply body: longer than " + maxBytes + " bytes" : null;
    }

    /** The body is complete; returns its fault, or null. */
    @Nullable String end() {
        if (decoder != null) {
            try (decoder) {
                decoder.end(this::collect);
            } catch (CodingException e) {
                return "reply body: its content coding is broken, or it is longer than " + maxBytes + " bytes";
            }
        }
        body = collected.toByteArray();
        return body.length > maxBytes ? "reply body: longer than " + maxBytes + " bytes" : null;
    }

    /** Frees the resources of an unfinished reply. */
    void discard() {
        if (decoder != null) {
            decoder.close();
        }
    }

    private void collect(ByteBuffer decoded) {
        byte[] bytes = new byte[decoded.remaining()];
        decoded.get(bytes);
        collected.write(bytes, 0, bytes.length);
    }

    @Override
    public int status() {
        return status;
    }

    @Override
    public HeaderBlock headers() {
        return headers;
    }

    @Override
    public byte[] body() {
        return body.clone();
    }
}
