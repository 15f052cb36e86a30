package dev.sallyport.core.pipeline;

import dev.sallyport.spi.Rule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says whether two lists of rules can meet. */
final class Rules {

    private Rules() {}

    /** Whether some host may be reached by both lists. Empty lists reach everything; in doubt the answer is yes. */
    static boolean mayOverlap(List<Rule> left, List<Rule> right) {
        if (left.isEmpty() || right.isEmpty()) {
            return true;
        }
        for (Rule one : left) {
            for (Rule other : right) {
                if (mayOverlap(one, other)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean mayOverlap(Rule one, Rule other) {
        if (one.host() == null || other.host() == null) {
            return mayBeAddress(one.host()) && mayBeAddress(other.host());
        }
        boolean oneIsGlob = isGlob(one.host());
        boolean otherIsGlob = isGlob(other.host());
        return oneIsGlob || otherIsGlob || one.host().equalsIgnoreCase(other.host());
    }

    /** A range of addresses has no host; a host may be an address itself, or a glob that matches some. */
    private static boolean mayBeAddress(@Nullable String host) {
        return host == null || isGlob(host) || host.indexOf(':') >= 0 || Character.isDigit(host.charAt(0));
    }

    private static boolean isGlob(String host) {
        return host.indexOf('*') >= 0 || host.indexOf('?') >= 0;
    }
}
