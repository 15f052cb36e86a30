package dev.sallyport.toolkit.headers;

import org.jspecify.annotations.Nullable;

/**
 * Protocols of calls whose bodies are messages, each behind a byte of flags and its length in four bytes. The lowest
 * flag says that a message is compressed, a field of the head says how.
 */
public enum CallProtocol {

    /** gRPC over HTTP/2, and gRPC-Web. */
    GRPC("application/grpc", "grpc-encoding", "grpc-accept-encoding"),

    /** The streams of the Connect protocol; its single calls are plain contents. */
    CONNECT("application/connect+", "connect-content-encoding", "connect-accept-encoding");

    private static final CallProtocol[] ALL = values();

    private final String typePrefix;
    private final String encodingField;
    private final String acceptField;

    CallProtocol(String typePrefix, String encodingField, String acceptField) {
        this.typePrefix = typePrefix;
        this.encodingField = encodingField;
        this.acceptField = acceptField;
    }

    /** The protocol of a {@code Content-Type}; null for none of these. */
    public static @Nullable CallProtocol of(@Nullable String contentType) {
        if (contentType != null) {
            for (CallProtocol protocol : ALL) {
                String prefix = protocol.typePrefix;
                if (contentType.regionMatches(true, 0, prefix, 0, prefix.length())) {
                    return protocol;
                }
            }
        }
        return null;
    }

    /** The name of the field that has the coding of compressed messages. */
    public String encodingField() {
        return encodingField;
    }

    /** The name of the field with which a client says which codings it knows. */
    public String acceptField() {
        return acceptField;
    }
}
