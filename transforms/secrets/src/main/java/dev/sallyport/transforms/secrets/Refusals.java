package dev.sallyport.transforms.secrets;

import dev.sallyport.spi.Decision;

/** What clients are told. Names the entry by its place in the configuration, never what is in it. */
final class Refusals {

    private Refusals() {}

    static Decision.Reject unavailable(Scoped entry) {
        return Decision.reject(403, "secret_unavailable", "A credential that this request needs is not available.")
                .at(entry.position());
    }

    static Decision.Reject missing(Scoped entry) {
        return Decision.reject(
                        403,
                        "placeholder_required",
                        "This destination asks for a placeholder that the request does not carry.")
                .at(entry.position());
    }

    static Decision.Reject misdirected(Scoped entry) {
        return Decision.reject(
                        403,
                        "placeholder_misdirected",
                        "This request carries a placeholder that belongs to another destination.")
                .at(entry.position());
    }

    static Decision.Reject unusable() {
        return Decision.reject(
                502,
                "secret_unusable",
                "A credential for this request cannot stand in the place that it is meant for.");
    }

    /** Of the head, or of the trailers. */
    static Decision.Reject headTooLarge() {
        return Decision.reject(
                403,
                "edited_head_too_large",
                "The head of the request would become too large by the credentials that it asks for.");
    }

    /** Whether a text cannot be the value of a header (RFC 9110, 5.5). */
    static boolean breaksLine(String text) {
        return text.indexOf('\r') >= 0 || text.indexOf('\n') >= 0 || text.indexOf('\0') >= 0;
    }
}
