package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.spi.BodyCheck;
import java.nio.ByteBuffer;
import java.security.MessageDigest;

/** Refuses a content whose hash differs from the one that was declared and signed. */
final class PayloadHashCheck implements BodyCheck {

    private final String declared;
    private final MessageDigest digest = Digests.sha256();

    PayloadHashCheck(String declared) {
        this.declared = declared;
    }

    @Override
    public void data(ByteBuffer bytes) {
        digest.update(bytes);
    }

    @Override
    public void end() {
        if (!Digests.hex(digest.digest()).equals(declared)) {
            throw Refusals.hashMismatch();
        }
    }
}
