package dev.sallyport.spi;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a transform wants done with a response. Made through the static factories. */
public sealed interface ResponseDecision {

    /** Pass the response on, unchanged. */
    static ResponseDecision proceed() {
        return Continue.PLAIN;
    }

    /** Pass the response on with these edits. */
    static ResponseDecision proceed(Edits edits) {
        return edits.isEmpty() ? Continue.PLAIN : new Continue(edits);
    }

    /** Wait for the body within {@code access}, then ask {@code then}. Not possible for interim (1xx) responses. */
    static ResponseDecision read(Buffered access, ResponseStep then) {
        return new Read(access, then);
    }

    /** Give the client this instead. Not possible for interim (1xx) responses. */
    static ResponseDecision replace(StubResponse response) {
        return new Replace(response);
    }

    /** Give the client 502 with a problem document instead; once the head has left, abort. */
    static Refuse refuse(String code, String detail) {
        return refuse(502, code, detail);
    }

    /** As {@link #refuse(String, String)}, with another status, 400 to 599. */
    static Refuse refuse(int status, String code, String detail) {
        return new Refuse(status, code, detail, null, null);
    }

    /**
     * This decision; a refusal says which of the transform's rules was the one that matched the request.
     *
     * @param rule its position in the list, from 0
     */
    default ResponseDecision byRule(int rule) {
        return this;
    }

    /** Pass on. */
    record Continue(Edits edits) implements ResponseDecision {
        public Continue {
            Objects.requireNonNull(edits, "edits");
        }

        private static final Continue PLAIN = new Continue(Edits.none());
    }

    /** Wait for the body. */
    record Read(Buffered access, ResponseStep then) implements ResponseDecision {
        public Read {
            Objects.requireNonNull(access, "access");
            Objects.requireNonNull(then, "then");
        }
    }

    /** Replace. */
    record Replace(StubResponse response) implements ResponseDecision {
        public Replace {
            Objects.requireNonNull(response, "response");
        }
    }

    /**
     * Refuse.
     *
     * @param position see {@link Decision.Reject#position()}
     * @param response what the client gets instead of the problem document, or null
     */
    record Refuse(
            int status,
            String code,
            String detail,
            @Nullable String position,
            @Nullable StubResponse response) implements ResponseDecision {
        public Refuse {
            if (status < 400 || status > 599) {
                throw new IllegalArgumentException("status: " + status + " (expected: 400 to 599)");
            }
            Objects.requireNonNull(code, "code");
            Objects.requireNonNull(detail, "detail");
        }

        /** The same refusal, naming the part of the configuration that decided. */
        public Refuse at(String newPosition) {
            return new Refuse(status, code, detail, newPosition, response);
        }

        @Override
        public Refuse byRule(int rule) {
            return at("rules[" + rule + "]");
        }

        /** The same refusal, answered with a response of the transform's own. */
        public Refuse with(StubResponse newResponse) {
            return new Refuse(status, code, detail, position, newResponse);
        }
    }
}
