package dev.sallyport.mcp;

import org.jspecify.annotations.Nullable;

/**
 * What a policy says of one message.
 *
 * @param kind what the message is about, as the key in audit records: {@code tool}, {@code resource}, {@code prompt};
 *     empty for nothing that is judged
 * @param subject its name
 * @param listed whether the policy names the subject
 * @param reason why the message is denied; null when it is not
 */
record Verdict(
        String kind,
        String subject,
        boolean listed,
        @Nullable String reason) {

    /** Nothing that is judged. */
    static final Verdict NONE = new Verdict("", "", false, null);

    boolean denied() {
        return reason != null;
    }

    boolean judged() {
        return !kind.isEmpty();
    }
}
