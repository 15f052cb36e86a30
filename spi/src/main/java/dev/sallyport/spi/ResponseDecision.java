package dev.sallyport.spi;

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
    static ResponseDecision refuse(String code, String detail) {
        return new Refuse(code, detail);
    }

    /** Pass on. */
    record Continue(Edits edits) implements ResponseDecision {
        private static final Continue PLAIN = new Continue(Edits.none());
    }

    /** Wait for the body. */
    record Read(Buffered access, ResponseStep then) implements ResponseDecision {}

    /** Replace. */
    record Replace(StubResponse response) implements ResponseDecision {}

    /** Refuse. */
    record Refuse(String code, String detail, @Nullable String position) implements ResponseDecision {
        Refuse(String code, String detail) {
            this(code, detail, null);
        }
    }
}
