package dev.sallyport.spi;

import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A transform's verdict on a request. Made through the static factories.
 *
 * @see ResponseDecision
 */
public sealed interface Decision {

    /** Go on to the next transform, unchanged. Allocates nothing. */
    static Decision proceed() {
        return Continue.PLAIN;
    }

    /** Go on to the next transform with these edits. */
    static Decision proceed(Edits edits) {
        return edits.isEmpty() ? Continue.PLAIN : new Continue(edits, null, false);
    }

    /** Go on with these edits, and run {@code then} on the head of the response. */
    static Decision proceed(Edits edits, ResponseStep then) {
        return new Continue(edits, Objects.requireNonNull(then, "then"), false);
    }

    /**
     * Go on, but <b>without credentials</b>: the engine skips every transform that injects credentials or signs,
     * earlier ones of this exchange included. For policies that only warn.
     */
    static Decision proceedWithoutCredentials() {
        return Continue.WITHHELD;
    }

    /** Wait for the body within {@code access}, then ask {@code then}. */
    static Read read(Buffered access, RequestStep then) {
        return new Read(access, then, null);
    }

    /**
     * Decide in another step, without reading anything: for an inline transform that can usually decide at once, and
     * sometimes has to wait.
     *
     * <p>If the transform injects credentials and the connection to the origin has no TLS, the step runs only once the
     * origin's address is known to be near enough for a credential; otherwise the request is refused. This avoids
     * minting a credential that could not be sent.
     */
    static Later later(RequestStep then) {
        return new Later(then, false);
    }

    /**
     * Refuse with a problem document (RFC 9457). {@link Reject#at}, {@link Reject#byRule} and {@link Reject#with} add
     * details:
     *
     * <pre>{@code
     * return Decision.reject(403, "outside_business_hours", "Come back during business hours.").byRule(rule);
     * }</pre>
     *
     * @param status 400 to 599
     * @param code stable, lower snake case
     * @param detail a sentence for the client; never a secret, never a configuration value
     */
    static Reject reject(int status, String code, String detail) {
        return new Reject(Refusal.of(status, code, detail));
    }

    /** Answer the client without asking the upstream. Needs {@link Effect#ANSWERS_LOCALLY}. */
    static Decision respond(StubResponse response) {
        return new Respond(response);
    }

    /**
     * This decision; a refusal names the transform's rule that matched.
     *
     * @param rule its position in the list, from 0
     */
    default Decision byRule(int rule) {
        return this;
    }

    /**
     * Go on to the next transform.
     *
     * @param edits applied before the next transform runs
     * @param then run on the response, or null when this transform does not need it
     * @param withoutCredentials see {@link Decision#proceedWithoutCredentials()}
     */
    record Continue(Edits edits, @Nullable ResponseStep then, boolean withoutCredentials) implements Decision {
        public Continue {
            Objects.requireNonNull(edits, "edits");
        }

        private static final Continue PLAIN = new Continue(Edits.none(), null, false);
        private static final Continue WITHHELD = new Continue(Edits.none(), null, true);
    }

    /**
     * Wait for the body.
     *
     * @param unreadable see {@link #ifUnreadable}, or null
     */
    record Read(Buffered access, RequestStep then, @Nullable Function<RequestContext, Reject> unreadable)
            implements Decision {
        public Read {
            Objects.requireNonNull(access, "access");
            Objects.requireNonNull(then, "then");
        }

        /**
         * The same; a body whose content coding is broken, or expands too much, is refused as {@code refusal} says, and
         * not with 400 or 413 and a problem document. Called on the event loop, with nothing of the body.
         */
        public Read ifUnreadable(Function<RequestContext, Reject> refusal) {
            return new Read(access, then, Objects.requireNonNull(refusal, "refusal"));
        }
    }

    /**
     * Decide in another step.
     *
     * @param overPlaintext whether what the step adds may be sent to any address without TLS
     */
    record Later(RequestStep then, boolean overPlaintext) implements Decision {
        public Later {
            Objects.requireNonNull(then, "then");
        }

        /** The same, for a step whose edits declare it; see {@link Edits.Builder#overPlaintext}. */
        public Later overPlaintext(boolean allowed) {
            return allowed == overPlaintext ? this : new Later(then, allowed);
        }
    }

    /** Refuse. Made by {@link Decision#reject}. A value; immutable. */
    final class Reject implements Decision {

        private final Refusal refusal;

        private Reject(Refusal refusal) {
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
        public Reject at(String position) {
            return new Reject(refusal.at(position));
        }

        @Override
        public Reject byRule(int rule) {
            return at(Refusal.rule(rule));
        }

        /**
         * The same refusal, answered with a document of the transform's own. A status below 400 needs {@link
         * Effect#ANSWERS_LOCALLY}: clients take it for a response of the origin.
         */
        public Reject with(StubResponse response) {
            return new Reject(refusal.with(response));
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Reject that && refusal.equals(that.refusal);
        }

        @Override
        public int hashCode() {
            return refusal.hashCode();
        }

        /** The refusal without its detail, which may quote the request. */
        @Override
        public String toString() {
            return refusal.shown("Reject");
        }
    }

    /** Answer locally. */
    record Respond(StubResponse response) implements Decision {
        public Respond {
            Objects.requireNonNull(response, "response");
        }
    }
}
