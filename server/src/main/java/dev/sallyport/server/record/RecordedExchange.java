package dev.sallyport.server.record;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One exchange as its audit record tells it (docs/spec/decisions.md, section 14). A text that the record does not have
 * is empty, and a number 0. Texts come from workloads: escape them before showing them on a terminal.
 *
 * @param at where the record stands
 * @param time when the exchange began, RFC 3339
 * @param host the canonical name or address of the destination
 * @param path path and query as the workload sent them
 * @param remoteAddr address and port of the client
 * @param sni the name that the client's TLS handshake asked for; empty also for plaintext
 * @param mode {@code mitm} or {@code sni-only}
 * @param protocol such as {@code http/1.1}, {@code h2} or {@code tcp}
 * @param action {@code allow}, {@code reject}, {@code stub}, {@code error} or {@code client_cancel}
 * @param tunnelTarget {@code host:port} of the tunnel around the exchange, or null
 * @param rejectedBy the transform that refused it, or null
 * @param stubbedBy the transform that answered it, or null
 * @param error what went wrong, beginning with a code, or null
 * @param requestTransforms what each transform did about the request, in their order
 */
public record RecordedExchange(
        LinePosition at,
        String time,
        String exchangeId,
        String host,
        int port,
        String method,
        String path,
        String remoteAddr,
        String workload,
        String sni,
        String mode,
        String protocol,
        String action,
        int statusCode,
        @Nullable String tunnelTarget,
        @Nullable String rejectedBy,
        @Nullable String stubbedBy,
        @Nullable String error,
        List<RecordedTransform> requestTransforms) {

    public RecordedExchange {
        requestTransforms = List.copyOf(requestTransforms);
    }

    /** The path without its query. */
    public String pathOnly() {
        int query = path.indexOf('?');
        return query < 0 ? path : path.substring(0, query);
    }

    /** The query without its question mark; null when there is none. */
    public @Nullable String query() {
        int query = path.indexOf('?');
        return query < 0 ? null : path.substring(query + 1);
    }

    /** Whether a transform would have refused the exchange, and let it pass with a warning. */
    public boolean warned() {
        return requestTransforms.stream().anyMatch(RecordedTransform::warned);
    }

    /** Whether the exchange reached its destination, with or without a warning: it was not refused or answered locally. */
    public boolean letThrough() {
        return action.equals("allow");
    }
}
