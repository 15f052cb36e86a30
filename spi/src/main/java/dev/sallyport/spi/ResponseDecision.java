package dev.sallyport.spi;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A transform's verdict on a response. Made through the static factories. */
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

    /**
     * Decide in another step, without reading anything: for an inline step that can usually decide at once, and
     * sometimes has to wait. Not possible for interim (1xx) responses.
     */
    static ResponseDecision later(ResponseStep then) {
        return new Later(then);
    }

    /**
     * Drop this response and send the request once more, after these edits of its header fields. The transforms are not
     * asked about the request again; about the next response they are. Where the request is not, or no longer, {@link
     * ResponseContext#repeatable}, the response is passed on.
     */
    static ResponseDecision repeat(Edits edits) {
        return new Repeat(edits);
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
        return new Refuse(Refusal.of(status, code, detail));
    }

    /**
     * This decision; a refusal names the transform's rule that matched the request.
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

    /** Decide in another step. */
    record Later(ResponseStep then) implements ResponseDecision {
        public Later {
            Objects.requireNonNull(then, "then");
        }
    }

    /**
     * Send the request once more.
     *
     * @param edits of the request's header fields
     */
    record Repeat(Edits edits) implements ResponseDecision {
        public Repeat {
            Objects.requireNonNull(edits, "edits");
        }
    }

    /** Replace. */
    record Replace(StubResponse response) implements ResponseDecision {
        public Replace {
            Objects.requireNonNull(response, "response");
        }
    }

    /** Refuse. Made by {@link ResponseDecision#refuse(int, String, String)}. A value; immutable. */
    final class Refuse implements ResponseDecision {

        private final Refusal refusal;

        private Refuse(Refusal refusal) {
            this.refusal = refusal;
        }

        /** The status, 400 to 599. */
        public int status() {
            return refusal.status();
        }

        /** Stable, lower snake case. */
        public String code() {
            return refusal.code();
        }

        /** A sentence for the client. */
        public String detail() {
            return refusal.detail();
        }

        /** Which part of the transform's configuration decided, such as {@code rules[2]}, or null. */
        public @Nullable String position() {
            return refusal.position();
        }

        /** What the client gets instead of the problem document, or null. */
        public @Nullable StubResponse response() {
            return refusal.response();
        }

        /** The same refusal, naming the part of the configuration that decided. */
        public Refuse at(String position) {
            return new Refuse(refusal.at(position));
        }

        @Override
        public Refuse byRule(int rule) {
            return at(Refusal.rule(rule));
        }

        /** The same refusal, answered with a response of the transform's own. */
        public Refuse with(StubResponse response) {
            return new Refuse(refusal.with(response));
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Refuse that && refusal.equals(that.refusal);
        }

        @Override
        public int hashCode() {
            return refusal.hashCode();
        }

        /** The refusal without its detail, which may quote the request. */
        @Override
        public String toString() {
            return refusal.shown("Refuse");
        }
    }
}
