package dev.sallyport.core.pipeline;

import dev.sallyport.spi.BodyRewriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The credentials that transforms have put into one request and that must not travel without TLS, except to an address
 * nearby (docs/spec/decisions.md, section 6). A rewriter counts once it has changed something: without a placeholder
 * there is no credential. Confined to the exchange's loop; only requests to origins without TLS have one.
 *
 */
final class TlsOnlyCredentials {

    private record Rewriting(Stage stage, BodyRewriter rewriter) {}

    private final List<Rewriting> rewriting = new ArrayList<>(1);
    private @Nullable Stage first;

    /** The stage has put a credential in. */
    void add(Stage stage) {
        if (first == null) {
            first = stage;
        }
    }

    /** The stage rewrites the body and may put a credential in. */
    void add(Stage stage, BodyRewriter rewriter) {
        rewriting.add(new Rewriting(stage, rewriter));
    }

    /** Whether a credential may still come. */
    boolean mayCome() {
        return !rewriting.isEmpty();
    }

    /** The first stage that has put a credential in; null when there is none. */
    @Nullable Stage carried() {
        if (first == null) {
            for (Rewriting entry : rewriting) {
                if (entry.rewriter().changed()) {
                    first = entry.stage();
                    break;
                }
            }
        }
        return first;
    }

    /** Credentials have been removed from the head; those in a rewritten body could not be. */
    void forget() {
        first = null;
    }
}
