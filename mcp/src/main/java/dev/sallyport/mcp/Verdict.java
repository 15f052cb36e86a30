package dev.sallyport.mcp;

import org.jspecify.annotations.Nullable;

/**
 * A policy's verdict on one message.
 *
 * @param kind the kind of subject, as the key in audit records: {@code tool}, {@code resource}, {@code prompt}; empty
 *     when nothing is judged
 * @param subject the name of the tool, resource or prompt
 * @param listed whether the policy names the subject
 * @param reason why the message is denied; null when it is not
 */
record Verdict(
        String kind,
        String subject,
        boolean listed,
        @Nullable String reason) {

    /** A message without a judged subject. */
    static final Verdict NONE = new Verdict("", "", false, null);

    boolean denied() {
        return reason != null;
    }

    boolean judged() {
        return !kind.isEmpty();
    }
}
