package dev.sallyport.server.replay;

import dev.sallyport.core.explain.Explanation.Verdict;
import dev.sallyport.core.explain.SourceLocation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The exchanges whose verdict one rule would change, in one way. Not thread-safe. */
public final class FlipGroup {

    /** How many exchanges of a group are kept; all are counted. */
    public static final int KEPT = 1000;

    private final Cause cause;
    private final List<Flip> flips = new ArrayList<>();
    private long count;

    /**
     * Why verdicts change.
     *
     * @param transform who decides now; where all let pass, who had refused; empty for the proxy itself
     * @param rule the rule that decides, or where the transform stands; null when there is none any more
     */
    public record Cause(String transform, @Nullable SourceLocation rule, Verdict before, Verdict now) {}

    FlipGroup(Cause cause) {
        this.cause = cause;
    }

    void add(Flip flip) {
        count++;
        if (flips.size() < KEPT) {
            flips.add(flip);
        }
    }

    /** Why. */
    public Cause cause() {
        return cause;
    }

    /** How many there are. */
    public long count() {
        return count;
    }

    /** The first {@value #KEPT} of them. */
    public List<Flip> flips() {
        return List.copyOf(flips);
    }
}
