package dev.sallyport.toolkit.coding;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A content coding that can be removed and applied. May grow. */
public enum Coding {
    /** RFC 1952; {@code x-gzip} is the same. */
    GZIP("gzip"),
    /** The zlib format of RFC 1950; the decoder also accepts bare RFC 1951 data, which some servers send. */
    DEFLATE("deflate"),
    /** RFC 7932. */
    BR("br"),
    /** RFC 8878, with the window limit of RFC 9659. */
    ZSTD("zstd");

    private final String token;

    Coding(String token) {
        this.token = token;
    }

    /** The name in {@code Content-Encoding}. */
    public String token() {
        return token;
    }

    static @Nullable Coding of(String token) {
        return switch (token.toLowerCase(Locale.ROOT)) {
            case "gzip", "x-gzip" -> GZIP;
            case "deflate" -> DEFLATE;
            case "br" -> BrotliDecoder.available() ? BR : null;
            case "zstd" -> ZstdDecoder.available() ? ZSTD : null;
            default -> null;
        };
    }

    Decoder decoder() {
        return switch (this) {
            case GZIP -> new GzipDecoder();
            case DEFLATE -> new DeflateDecoder();
            case BR -> new BrotliDecoder();
            case ZSTD -> new ZstdDecoder();
        };
    }

    Encoder encoder() {
        return switch (this) {
            case GZIP -> new ZlibEncoder(true);
            case DEFLATE -> new ZlibEncoder(false);
            case BR -> new BrotliEncoder();
            case ZSTD -> new ZstdEncoder();
        };
    }
}
