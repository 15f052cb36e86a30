package dev.sallyport.spi;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A complete response made by a transform. Immutable; the engine adds {@code Content-Length}, and {@code Date}. */
public final class StubResponse {

    private final int status;
    private final List<Map.Entry<String, String>> headers;
    private final byte[] body;

    private StubResponse(Builder builder) {
        status = builder.status;
        headers = List.copyOf(builder.headers);
        body = builder.body;
    }

    /** Starts a response; {@code status} is 200 to 599. */
    public static Builder status(int status) {
        return new Builder(status);
    }

    /** A 200 with a JSON body. */
    public static StubResponse json(String json) {
        return status(200).header("Content-Type", "application/json").body(json).build();
    }

    /** The status code. */
    public int status() {
        return status;
    }

    /** The header lines in order. */
    public List<Map.Entry<String, String>> headers() {
        return headers;
    }

    /** A copy of the body. */
    public byte[] body() {
        return body.clone();
    }

    /** Collects a response. Not thread-safe. */
    public static final class Builder {

        private final int status;
        private final List<Map.Entry<String, String>> headers = new ArrayList<>(4);
        private byte[] body = {};

        private Builder(int status) {
            if (status < 200 || status > 599) {
                throw new IllegalArgumentException("status: " + status + " (expected: 200 to 599)");
            }
            this.status = status;
        }

        /**
         * Adds a header line. {@code Date} and the fields that frame a message or belong to one connection are the
         * engine's: the engine drops such lines, and those that are not valid header lines.
         */
        public Builder header(String name, String value) {
            headers.add(Map.entry(name, value));
            return this;
        }

        /** Sets the body in UTF-8. */
        public Builder body(String text) {
            return body(text.getBytes(StandardCharsets.UTF_8));
        }

        /** Sets the body; the array is copied. */
        public Builder body(byte[] bytes) {
            body = bytes.clone();
            return this;
        }

        /** The response. */
        public StubResponse build() {
            return new StubResponse(this);
        }
    }
}
