package dev.sallyport.transforms.judge;

import dev.sallyport.spi.Body;
import dev.sallyport.spi.Headers;
import dev.sallyport.spi.RequestContext;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * The first message of a gRPC call: a flag, a length of four bytes, and the content (gRPC over HTTP2,
 * Length-Prefixed-Message).
 */
final class GrpcMessage {

    /** The size of flag and length. */
    static final int PREFIX = 5;

    private static final String TYPE = "application/grpc";

    private GrpcMessage() {}

    /**
     * Whether a request is a gRPC call: only over HTTP/2 and only with this media type. The body of any other request
     * is an ordinary one.
     */
    static boolean isCall(RequestContext context) {
        Headers headers = context.head().headers();
        if (!context.connection().protocol().equals("h2")
                || headers.all("Content-Type").size() != 1) {
            return false;
        }
        String type = String.valueOf(headers.first("Content-Type")).toLowerCase(Locale.ROOT);
        int end = type.indexOf(';');
        String media = (end < 0 ? type : type.substring(0, end)).strip();
        return media.equals(TYPE) || (media.startsWith(TYPE + "+") && media.length() > TYPE.length() + 1);
    }

    /** The number of bytes up to the end of the first message, or of its part that is examined. */
    static long length(Body prefix) {
        long length = prefix.length() < PREFIX ? 0 : prefix.bytes().getInt(1) & 0xFFFF_FFFFL;
        return PREFIX + Math.min(length, Envelope.MAX_BODY);
    }

    /** The first message as far as it is text; reports what is not examined. */
    static String text(Body body, @Nullable String encoding, Consumer<String> warnings) {
        ByteBuffer bytes = body.bytes();
        if (bytes.remaining() < PREFIX) {
            return "";
        }
        warnings.accept(
                "body: the first message of a gRPC call, as far as it is text; later messages are not examined");
        boolean compressed = bytes.get() != 0;
        long length = bytes.getInt() & 0xFFFF_FFFFL;
        byte[] message = new byte[(int) Math.min(length, bytes.remaining())];
        bytes.get(message);
        if (message.length < length) {
            warnings.accept("body: cut, longer than " + message.length + " bytes");
        }
        if (compressed && !"gzip".equals(encoding)) {
            warnings.accept("body: omitted, compressed with an unknown coding");
            return "";
        }
        return new String(compressed ? inflated(message, warnings) : message, StandardCharsets.UTF_8);
    }

    private static byte[] inflated(byte[] message, Consumer<String> warnings) {
        try (GZIPInputStream content = new GZIPInputStream(new ByteArrayInputStream(message))) {
            byte[] inflated = content.readNBytes(Envelope.MAX_BODY);
            if (inflated.length == Envelope.MAX_BODY) {
                warnings.accept("body: cut, inflated to " + inflated.length + " bytes");
            }
            return inflated;
        } catch (IOException e) {
            warnings.accept("body: omitted, not gzip or truncated");
            return new byte[0];
        }
    }
}
