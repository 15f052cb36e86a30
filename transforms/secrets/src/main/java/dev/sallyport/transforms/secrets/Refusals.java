package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.Decision;

/** The refusals that clients get. They name the entry by its place in the configuration and never show its content. */
final class Refusals {

    private Refusals() {}

    static Decision.Reject unavailable(ScopedEntry entry) {
        String why = entry.secret().whyUnavailable();
        return Decision.reject(
                        403,
                        "secret_unavailable",
                        "A credential needed by this request is not available"
                                + (why.isEmpty() ? "." : ": " + why + "."))
                .at(entry.position());
    }

    static Decision.Reject missing(ScopedEntry entry) {
        return Decision.reject(
                        403,
                        "placeholder_required",
                        "This destination requires a placeholder that the request does not carry.")
                .at(entry.position());
    }

    static Decision.Reject misdirected(ScopedEntry entry) {
        return Decision.reject(
                        403,
                        "placeholder_misdirected",
                        "This request carries a placeholder that belongs to another destination.")
                .at(entry.position());
    }

    static Decision.Reject unusable() {
        return Decision.reject(
                502, "secret_unusable", "A credential for this request cannot be put in the place of its placeholder.");
    }

    /** The head, or the trailers, would become too large. */
    static Decision.Reject headTooLarge() {
        return Decision.reject(
                403, "edited_head_too_large", "The credentials for this request would make its head too large.");
    }
}
