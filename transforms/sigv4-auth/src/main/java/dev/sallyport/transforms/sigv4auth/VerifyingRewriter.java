package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.spi.BodyRewriter;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.OptionalLong;

/** Forwards the content, but withholds its last bytes unless the declared (and now signed) hash matches. */
final class VerifyingRewriter implements BodyRewriter {

    private final String declared;
    private final MessageDigest digest = Digests.sha256();
    private long missing = Long.MAX_VALUE;
    private boolean verified;

    VerifyingRewriter(String declared) {
        this.declared = declared;
    }

    @Override
    public OptionalLong length(OptionalLong in) {
        missing = in.orElse(Long.MAX_VALUE);
        return in;
    }

    @Override
    public void write(ByteBuffer in, Sink out) {
        digest.update(in.duplicate());
        missing -= in.remaining();
        if (missing == 0) {
            verify();
        }
        out.forward(in.position(), in.remaining());
        in.position(in.limit());
    }

    @Override
    public void end(Sink out) {
        if (!verified) {
            verify();
        }
    }

    private void verify() {
        verified = true;
        if (!Digests.hex(digest.digest()).equals(declared)) {
            throw Refusals.hashMismatch();
        }
    }

    @Override
    public boolean preserves() {
        return true;
    }

    @Override
    public boolean changed() {
        return false;
    }
}
