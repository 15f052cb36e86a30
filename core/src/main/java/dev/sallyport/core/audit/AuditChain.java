package dev.sallyport.core.audit;

import dev.sallyport.core.audit.chain.ChainEnd;
import dev.sallyport.core.audit.chain.Sha256;
import java.security.DigestException;
import java.security.MessageDigest;

/**
 * Counts the records and hashes their lines, so that each holds the number and the hash of the line before (docs/audit.md).
 * Confined to the writer's thread.
 */
final class AuditChain {

    private final MessageDigest sha = Sha256.digest();
    private final byte[] hash = new byte[Sha256.BYTES];
    private long seq;

    /** Continues where a chain has got to. */
    AuditChain(ChainEnd end) {
        this.seq = end.seq();
        System.arraycopy(end.hash(), 0, hash, 0, hash.length);
    }

    /** The number of the last record; 0 for none. */
    long seq() {
        return seq;
    }

    /** The hash of the last line, which changes with the next. */
    byte[] hash() {
        return hash;
    }

    /** A line is complete: with the number and the hash from here, and its line feed. */
    void append(byte[] bytes, int from, int to) {
        sha.update(bytes, from, to - from);
        try {
            sha.digest(hash, 0, hash.length);
        } catch (DigestException e) {
            throw new IllegalStateException(e); // there is room for it
        }
        seq++;
    }
}
