package dev.sallyport.ctl;

import dev.sallyport.ctl.problem.Problem;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Keys by which the server recognises a request that is sent again (docs/spec/decisions.md, section 16). */
final class Idempotency {

    private Idempotency() {}

    /** The key that was given, or a new one. */
    static String key(@Nullable String given) throws Problem {
        if (given == null) {
            return UUID.randomUUID().toString();
        }
        if (!given.matches("[!-~]{1,255}")) {
            throw Problem.usage("--idempotency-key cannot be sent (expected: 1 to 255 characters of printable ASCII)");
        }
        return given;
    }
}
