package dev.sallyport.spi;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A transform's verdict on a tunnel before it opens. */
public sealed interface Admission {

    /** No objection; the next transform is asked. */
    static Admission pass() {
        return Pass.INSTANCE;
    }

    /**
     * No request to this destination could ever be allowed.
     *
     * @param code stable, lower snake case
     * @param detail a sentence for the client; never a secret, never a configuration value
     */
    static Refuse refuse(String code, String detail) {
        return new Refuse(code, detail, null);
    }

    /**
     * This transform answers requests to the destination itself (with a token stub, for example): the tunnel opens and
     * later transforms are not asked. The whole pipeline still judges the requests inside.
     */
    static Admission admit() {
        return Admit.INSTANCE;
    }

    /** No objection. */
    enum Pass implements Admission {
        INSTANCE
    }

    /** Opens the tunnel. */
    enum Admit implements Admission {
        INSTANCE
    }

    /** Refuses the tunnel. Made by {@link Admission#refuse}. A value; immutable. */
    final class Refuse implements Admission {

        private final String code;
        private final String detail;
        private final @Nullable String position;

        private Refuse(String code, String detail, @Nullable String position) {
            this.code = Objects.requireNonNull(code, "code");
            this.detail = Objects.requireNonNull(detail, "detail");
            this.position = position;
        }

        /** Stable, lower snake case. */
        public String code() {
            return code;
        }

        /** A sentence for the client. */
        public String detail() {
            return detail;
        }

        /** Which part of the transform's configuration decided, such as {@code rules[2]}, or null. */
        public @Nullable String position() {
            return position;
        }

        /** The same refusal, naming the part of the configuration that decided. */
        public Refuse at(String newPosition) {
            return new Refuse(code, detail, newPosition);
        }

        /**
         * The same refusal, naming the rule that decided.
         *
         * @param rule its position in the list, from 0
         */
        public Refuse byRule(int rule) {
            return at(Refusal.rule(rule));
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Refuse that
                    && code.equals(that.code)
                    && detail.equals(that.detail)
                    && Objects.equals(position, that.position);
        }

        @Override
        public int hashCode() {
            return Objects.hash(code, detail, position);
        }

        @Override
        public String toString() {
            return "Refuse[" + code + (position == null ? "" : " at " + position) + "]";
        }
    }
}
