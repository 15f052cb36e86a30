package dev.sallyport.server.run;

import dev.sallyport.server.terminal.Palette;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a run says at its end, for people. Pure functions. */
final class RunSummary {

    private static final int KILO = 1000;

    /** So many lines of one kind are shown. */
    private static final int MOST = 50;

    /** So many sockets are named. */
    private static final int FEW = 10;

    private static final String[] UNITS = {"B", "kB", "MB", "GB", "TB"};

    private RunSummary() {}

    /**
     * The lines.
     *
     * @param sockets what became of UNIX sockets that lead outside; null when nothing is said of them
     */
    static List<String> lines(RunTraffic traffic, @Nullable SocketReport sockets) {
        List<String> lines = new ArrayList<>();
        List<RunTraffic.Tally> allowed = traffic.allowed();
        if (!allowed.isEmpty()) {
            lines.add("allowed:");
            first(
                    allowed,
                    lines,
                    tally -> lines.add("  " + clean(tally.host()) + "  " + counted(tally.requests(), "request") + ", "
                            + bytes(tally.bytes())));
        }
        List<RunTraffic.Refused> refused = traffic.refused();
        if (!refused.isEmpty() || !traffic.packets().isEmpty()) {
            lines.add("refused:");
            first(
                    refused,
                    lines,
                    host -> lines.add("  " + clean(host.host()) + "  "
                            + counted(host.requests(), "request") + "; "
                            + (host.allow().isEmpty()
                                    ? clean(host.reason())
                                    : "let through by --allow " + clean(host.allow()))));
            first(
                    List.copyOf(traffic.packets().entrySet()),
                    lines,
                    packet -> lines.add("  " + packet.getKey()
                            + (packet.getValue() == 1 ? "" : "  " + packet.getValue() + " times")));
        }
        if (!traffic.secrets().isEmpty()) {
            lines.add("secrets used:");
            traffic.secrets()
                    .forEach(
                            (name, hosts) -> lines.add("  " + clean(name) + "  at " + clean(String.join(", ", hosts))));
        }
        if (lines.isEmpty()) {
            lines.add("no requests");
        }
        if (sockets != null) {
            lines.add("UNIX sockets that stay reachable: " + listed(sockets.reachable()));
            if (!sockets.unlocated().isEmpty()) {
                lines.add(
                        "UNIX sockets that could not be located, and may be reachable: " + listed(sockets.unlocated()));
            }
        }
        return lines;
    }

    private static String listed(List<String> sockets) {
        String first = sockets.stream().limit(FEW).map(RunSummary::clean).collect(Collectors.joining(", "));
        return sockets.isEmpty()
                ? "none"
                : sockets.size() > FEW ? first + " and " + (sockets.size() - FEW) + " more" : first;
    }

    private static <T> void first(List<T> all, List<String> lines, Consumer<T> show) {
        all.stream().limit(MOST).forEach(show);
        if (all.size() > MOST) {
            lines.add("  and " + (all.size() - MOST) + " more");
        }
    }

    private static String clean(String text) {
        return Palette.clean(text);
    }

    private static String counted(int count, String what) {
        return count + " " + what + (count == 1 ? "" : "s");
    }

    private static String bytes(long bytes) {
        double amount = bytes;
        int unit = 0;
        while (amount >= KILO && unit < UNITS.length - 1) {
            amount /= KILO;
            unit++;
        }
        return unit == 0 ? bytes + " B" : String.format(Locale.ROOT, "%.1f %s", amount, UNITS[unit]);
    }
}
