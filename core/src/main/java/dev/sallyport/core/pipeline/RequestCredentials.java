package dev.sallyport.core.pipeline;

import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.redact.CarriedCredentials;
import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.spi.Edits;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The credentials that transforms have put into one request, and the request as it was before the first of them. Knows
 * those that must not travel without TLS, except to an address nearby (docs/spec/decisions.md, section 6): a rewriter
 * counts once it has changed something, since without a placeholder there is no credential. Confined to the exchange's
 * loop; a request has none until a stage may put one in.
 */
final class RequestCredentials {

    private record Rewriting(Stage stage, BodyRewriter rewriter) {}

    private @Nullable CarriedCredentials carried;

    /** The head before the first stage that may put one in; null when there was none, and once it is restored. */
    private @Nullable RequestMessage before;

    /** The index of that stage, and how many response steps there were before it. */
    private int first;

    private int responseSteps;

    /** The first stage that has put in one that must not travel without TLS. */
    private @Nullable Stage forTls;

    private List<Rewriting> rewriting = List.of();

    /** How many deletions of secrets there were, and how many credentials, when none of these was found to be deleted. */
    private long checkedDeletions;

    private int checked;

    /** All that a stage has declared, or written; null while there are none. */
    @Nullable CarriedCredentials carried() {
        return carried;
    }

    /** The stage puts in what these edits contain. */
    void add(Stage stage, Edits edits) {
        if (carried == null) {
            carried = new CarriedCredentials();
        }
        carried.add(stage.name(), edits);
    }

    /**
     * The stage of one that was deleted since the request began; null when there is none.
     *
     * @param since how many deletions of secrets there were before any was read for the request
     * @param now how many there have been
     */
    @Nullable Stage deleted(MatchedStages plan, long since, long now) {
        CarriedCredentials all = carried;
        if (all == null || now == since || (now == checkedDeletions && all.size() == checked)) {
            return null;
        }
        for (int i = 0; i < all.size(); i++) {
            for (int j = 0; j < plan.size(); j++) {
                Stage stage = plan.stage(j);
                if (stage.name().equals(all.stage(i)) && stage.deletedSince(since, all.name(i))) {
                    return stage;
                }
            }
        }
        checkedDeletions = now;
        checked = all.size();
        return null;
    }

    // Those that must not travel without TLS.

    /** The stage has put one in. */
    void addForTls(Stage stage) {
        if (forTls == null) {
            forTls = stage;
        }
    }

    /** The stage rewrites the body and may put one in. */
    void addForTls(Stage stage, BodyRewriter rewriter) {
        if (rewriting.isEmpty()) {
            rewriting = new ArrayList<>(1);
        }
        rewriting.add(new Rewriting(stage, rewriter));
    }

    /** Whether one may still come with the body. */
    boolean mayComeForTls() {
        return !rewriting.isEmpty();
    }

    /** The first stage that has put one in; null when there is none. */
    @Nullable Stage forTls() {
        for (int i = 0; forTls == null && i < rewriting.size(); i++) {
            if (rewriting.get(i).rewriter().changed()) {
                forTls = rewriting.get(i).stage();
            }
        }
        return forTls;
    }

    // The way back.

    /** The stage at this index may put one in; what the request is now is kept, unless an earlier one had come. */
    void mark(int at, RequestMessage head, ResponseSteps steps) {
        if (before == null) {
            before = head.copy();
            first = at;
            responseSteps = steps.size();
        }
    }

    /** The index of the first stage that may have put one in; negative when there is none. */
    int first() {
        return before == null ? -1 : first;
    }

    /** Restores the request without them, but for its body. */
    void takeOut(RequestMessage head, ResponseSteps steps, MatchedStages plan) {
        if (before != null) {
            head.restore(before);
            steps.forget(responseSteps);
            steps.messages().dropFrom(plan.stage(first).position());
        }
        before = null;
        carried = null;
        forTls = null;
    }
}
