package dev.sallyport.control.proxy;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Where the chain of a proxy's audit records has got to. With {@code note}, {@code sallyport audit verify --head} finds an
 * end that was cut off.
 *
 * @param origin names the chain, and the key that signs it
 * @param size the {@code seq} of the last record that the checkpoint stands for
 * @param signedAt when the proxy signed it; null where the checkpoint does not say
 * @param note the checkpoint, a C2SP signed note, with the signatures of the proxy and of this control plane
 * @param key the public key of the proxy, that of the first checkpoint of this origin
 * @param cosigner the public key of this control plane
 * @param contradiction null for none
 */
public record AuditHead(
        String origin,
        long size,
        @Nullable Instant signedAt,
        String note,
        String key,
        String cosigner,
        Instant receivedAt,
        @Nullable Contradiction contradiction) {

    /**
     * The first checkpoint that cannot belong to the same chain: it was cut off, or rewritten.
     *
     * @param note as the proxy sent it
     */
    public record Contradiction(String note, Instant receivedAt) {}
}
