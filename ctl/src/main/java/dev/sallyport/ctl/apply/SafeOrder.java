package dev.sallyport.ctl.apply;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The order of changes: each object changes at once, but a proxy may see the account between any two of them. What limits
 * comes before what opens, so that nothing is let through in between that neither the account before nor the one after
 * lets through, and no credential is added to requests that lose their destination:
 *
 * <ol>
 *   <li>the mode {@code enforce};
 *   <li>destinations that go: whole objects, and of those that change what is not in the new ones;
 *   <li>credentials that go;
 *   <li>MCP policies, which limit what their traffic may do;
 *   <li>variables, secrets and secret policies, so that a destination that is opened has its credential from the start;
 *   <li>destinations that change, then those that come;
 *   <li>the mode {@code warn};
 *   <li>MCP policies that go, which frees their traffic, variables that nobody needs any more, and what an earlier run has
 *       left.
 * </ol>
 */
final class SafeOrder {

    static final Comparator<Change> ORDER = Comparator.comparingInt(SafeOrder::number);

    private static final int CLOSING = 1;

    private SafeOrder() {}

    /**
     * A part of what is done.
     *
     * @param closes whether only destinations are closed that the object has and will not have; another part follows
     */
    record Step(Change change, boolean closes) {

        private int number() {
            return closes ? CLOSING : SafeOrder.number(change);
        }
    }

    /** All that is done for changes, in order. */
    static List<Step> steps(List<Change> changes) {
        List<Step> steps = new ArrayList<>();
        for (Change change : changes) {
            if (change.isChange()) {
                if (closesFirst(change)) {
                    steps.add(new Step(change, true));
                }
                steps.add(new Step(change, false));
            }
        }
        steps.sort(Comparator.comparingInt(Step::number));
        return steps;
    }

    private static boolean closesFirst(Change change) {
        if (change.action() != Change.Action.CONFIGURE) {
            return false;
        }
        return switch (change.kind()) {
            case EGRESS_RULE -> change.leadsElsewhere();
            case NETWORK_POLICY -> {
                Narrowing narrowing = Narrowing.of(change);
                yield narrowing.closes() && narrowing.opens();
            }
            case EGRESS_POLICY, SECRET_POLICY, SECRET, MCP_POLICY, ENVIRONMENT_VARIABLE -> false;
        };
    }

    private static int number(Change change) {
        boolean prune = change.action() == Change.Action.PRUNE;
        boolean create = change.action() == Change.Action.CREATE;
        return switch (change.kind()) {
            case EGRESS_POLICY -> wantsWarn(change) ? 11 : 0;
            case NETWORK_POLICY -> prune || onlyCloses(change) ? CLOSING : create ? 9 : 7;
            case EGRESS_RULE -> RuleBridge.isOne(change) ? 14 : prune ? CLOSING : create ? 10 : 8;
            case SECRET_POLICY -> prune ? 2 : 6;
            case SECRET -> prune ? 2 : 5;
            case MCP_POLICY -> prune ? 12 : 3;
            case ENVIRONMENT_VARIABLE -> prune ? 13 : 4;
        };
    }

    private static boolean onlyCloses(Change change) {
        return change.action() == Change.Action.CONFIGURE
                && !Narrowing.of(change).opens();
    }

    private static boolean wantsWarn(Change change) {
        Manifest manifest = change.manifest();
        return manifest != null && manifest.fields().path("mode").asText().equals("warn");
    }
}
