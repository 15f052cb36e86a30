package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.spi.BodyRewriter;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalLong;
import javax.crypto.Mac;
import org.jspecify.annotations.Nullable;

/**
 * Signs the chunks of {@code aws-chunked} and the trailer again. The signature comes before the data, so a chunk is
 * held until it is complete; every signature replaces one of the same length. The end of the content is sent only when
 * all of it is valid.
 */
final class ChunkedRewriter implements BodyRewriter, ChunkFraming.Parts {

    private static final String EXTENSION = "chunk-signature=";
    private static final String TRAILER_SIGNATURE = "x-amz-trailer-signature";
    private static final int FIRST_CAPACITY = 16 * 1024;

    private final Signing signing;
    private final long maxChunk;
    private final boolean trailer;
    private final DecodedLength decoded;
    private final Mac mac;
    private final MessageDigest digest = Digests.sha256();
    private final ChunkFraming framing;
    private final StringBuilder fields = new StringBuilder();
    private final Held held = new Held();
    private @Nullable Sink sink;
    private String previous;
    private String size = "";
    private boolean trailerSigned;

    /** Gives access to its bytes without a copy. */
    private static final class Held extends ByteArrayOutputStream {

        Held() {
            super(FIRST_CAPACITY);
        }

        ByteBuffer view() {
            return ByteBuffer.wrap(buf, 0, count);
        }
    }

    /**
     * @param seed the signature of the request
     * @param maxChunk the longest chunk that is held, in bytes
     * @param decoded the length that the content must have without framing
     */
    ChunkedRewriter(Signing signing, String seed, boolean trailer, long maxChunk, DecodedLength decoded) {
        this.signing = signing;
        this.previous = seed;
        this.trailer = trailer;
        this.maxChunk = maxChunk;
        this.decoded = decoded;
        this.mac = signing.mac();
        this.framing = new ChunkFraming(this, trailer);
    }

    @Override
    public OptionalLong length(OptionalLong in) {
        return in;
    }

    @Override
    public void write(ByteBuffer in, Sink out) {
        sink = out;
        try {
            framing.take(in);
        } finally {
            sink = null;
        }
    }

    @Override
    public void end(Sink out) {
        framing.requireDone();
    }

    @Override
    public void chunk(String line, long length, String extension) {
        boolean signed = extension.startsWith(EXTENSION)
                && Digests.isHash(extension.substring(EXTENSION.length()).toLowerCase(Locale.ROOT));
        if (!signed) {
            throw Refusals.framing("a chunk without a signature");
        }
        if (length > maxChunk) {
            throw Refusals.framing("a chunk of more than " + maxChunk + " bytes (proxy.max_request_body_bytes)");
        }
        decoded.add(length);
        size = line.substring(0, line.indexOf(';'));
        if (length == 0) {
            decoded.requireAll();
            hold(size + ';' + EXTENSION + next(signing.chunk(previous, Digests.EMPTY)) + "\r\n");
        }
    }

    @Override
    public void data(ByteBuffer bytes) {
        digest.update(bytes.duplicate());
        if (bytes.hasArray()) {
            held.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
        } else {
            byte[] copy = new byte[bytes.remaining()];
            bytes.get(copy);
            held.writeBytes(copy);
        }
    }

    @Override
    public void chunkEnd() {
        String signature = next(signing.chunk(previous, Digests.hex(digest.digest())));
        Sink out = Objects.requireNonNull(sink, "called within write");
        out.write(ByteBuffer.wrap(ChunkFraming.latin1(size + ';' + EXTENSION + signature + "\r\n")));
        held.writeBytes(ChunkFraming.latin1("\r\n"));
        release(out);
    }

    @Override
    public void field(String line) {
        int colon = line.indexOf(':');
        String name = colon < 0 ? "" : line.substring(0, colon).strip().toLowerCase(Locale.ROOT);
        String value = line.substring(colon + 1).strip();
        if (name.isEmpty() || trailerSigned) {
            throw Refusals.framing("the trailer is not a list of fields that ends with its signature");
        }
        if (!name.equals(TRAILER_SIGNATURE)) {
            fields.append(name).append(':').append(value).append('\n');
            hold(line + "\r\n");
            return;
        }
        if (!Digests.isHash(value.toLowerCase(Locale.ROOT))) {
            throw Refusals.framing("the signature of the trailer does not have 64 hexadecimal digits");
        }
        trailerSigned = true;
        String signature = next(signing.trailer(previous, Digests.hash(fields)));
        int at = line.indexOf(value, colon + 1);
        hold(line.substring(0, at) + signature + line.substring(at + value.length()) + "\r\n");
    }

    @Override
    public void end() {
        if (trailer && !trailerSigned) {
            throw Refusals.framing("the trailer is not signed");
        }
        hold("\r\n");
        release(Objects.requireNonNull(sink, "called within write"));
    }

    private String next(String text) {
        previous = Digests.hex(mac.doFinal(ChunkFraming.latin1(text)));
        return previous;
    }

    private void hold(String text) {
        held.writeBytes(ChunkFraming.latin1(text));
        if (held.size() > maxChunk + FIRST_CAPACITY) {
            throw Refusals.framing("the trailer is too long");
        }
    }

    private void release(Sink out) {
        out.write(held.view());
        held.reset();
    }

    @Override
    public String toString() {
        return "ChunkedRewriter[" + framing + "]";
    }
}
