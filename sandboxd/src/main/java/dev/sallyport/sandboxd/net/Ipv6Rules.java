package dev.sallyport.sandboxd.net;

import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rules of nftables for IPv6 of guests, where it comes out of a cable. The host's end has no IPv6, so the kernel drops it
 * before it comes to {@link Ruleset}: here it is counted and rejected before that. The family is netdev, in which an answer is
 * made of the packet alone; that of inet would look for a route of the host's. What every kernel that has IPv6 sends by itself
 * (it looks for neighbours and routers, and tells of its multicast groups) is dropped, and not counted.
 *
 * <p>A cable has a chain of its own, which can only be loaded once it is there. Without it, or where this machine cannot do
 * so much, IPv6 is dropped all the same; so no guest is kept waiting for it. For any number of threads.
 */
final class Ipv6Rules {

    private static final Logger LOG = LoggerFactory.getLogger(Ipv6Rules.class);

    private static final String COUNTER = "refused_";
    private static final String CHAIN = "\tchain ";

    private static final String LOGGED = """
                limit rate 2/second burst 5 packets limit name "lines" log prefix "%s" group %d
            """.formatted(Ruleset.REFUSED, RefusalLog.GROUP);

    /** Nobody answers errors, and what is sent to many (RFC 4443, 2.4). */
    private static final String ANSWERED = """
                icmpv6 type < 128 drop
                ip6 daddr ff00::/8 drop
                meta l4proto tcp reject with tcp reset
                meta protocol ip6 reject with icmpv6 admin-prohibited
            """;

    private final ReentrantLock lock = new ReentrantLock();

    /** What nft showed of each cable's chain when it had been loaded; empty while it is not. */
    private final Map<String, String> shown = new TreeMap<>();

    private final Batches<Change> changes = new Batches<>(this::change, PAUSE);

    /** For as long as guests come one after the other, their chains are loaded together: nobody waits for them. */
    private static final Duration PAUSE = Duration.ofMillis(100);

    /** What nft has shown of one chain, and of which. */
    private String sample = "";

    private String sampled = "";

    private String logged = "";
    private @Nullable String answered;

    private record Change(String cable, boolean comes) {}

    /**
     * Begins anew, with no cable. Finds out what this machine can do; the log says what it cannot.
     *
     * @param logs whether some of what is refused is logged
     */
    void open(boolean logs) throws CommandException, InterruptedException {
        lock.lockInterruptibly();
        try {
            shown.clear();
            sample = "";
            logged = logs ? LOGGED : "";
            answered = able();
            close();
        } finally {
            lock.unlock();
        }
    }

    private @Nullable String able() throws InterruptedException {
        try {
            check(ANSWERED);
            return ANSWERED;
        } catch (CommandException e) {
            return ableToCount(e);
        }
    }

    private @Nullable String ableToCount(CommandException cause) throws InterruptedException {
        try {
            check("");
            LOG.warn("IPv6 of guests is counted and dropped, and not rejected: {}", cause.getMessage());
            return "";
        } catch (CommandException e) {
            LOG.warn("IPv6 of guests is dropped, and neither rejected nor counted: {}", e.getMessage());
            return null;
        }
    }

    /** All that a kernel needs for the chain of a cable; nft only asks it. */
    private void check(String answer) throws CommandException, InterruptedException {
        Command.of("nft", "--check", "-f", "-")
                .reading(text(Ruleset.TABLE + "_probe", "lo", answer))
                .run();
    }

    /** What is loaded for a cable. What is deleted is added before: deleting what is not there would fail. */
    private String text(String table, String cable, String answer) {
        return """
                    add table netdev %1$s
                    add limit netdev %1$s lines { rate %4$d/second }
                    add counter netdev %1$s %3$s%2$s
                    add chain netdev %1$s %2$s
                    delete chain netdev %1$s %2$s
                    table netdev %1$s {
                      chain %2$s {
                        type filter hook ingress device "%2$s" priority -450; policy accept;
                        meta protocol != ip6 accept
                        icmpv6 type { mld-listener-report, mld-listener-done, mld2-listener-report } drop
                        icmpv6 type { nd-router-solicit, nd-neighbor-solicit, nd-neighbor-advert } drop
                    %5$s    counter name "%3$s%2$s"
                    %6$s    drop
                      }
                    }
                    """.formatted(table, cable, COUNTER, RefusalLog.LINES, logged, answer);
    }

    /** Has the chain of a cable loaded, which is there, and does not wait for it; {@link #keep} does it later where it fails. */
    void begin(String cable) {
        changes.askLater(new Change(cable, true));
    }

    /** The same, and waits. */
    void load(String cable) throws InterruptedException {
        change(new Change(cable, true));
    }

    /** Removes the chain and the counter of a cable, which may be gone already. */
    void remove(String cable) throws InterruptedException {
        change(new Change(cable, false));
    }

    private void change(Change change) throws InterruptedException {
        try {
            changes.add(change);
        } catch (CommandException e) {
            throw new IllegalStateException("what fails is logged", e);
        }
    }

    private void change(List<Change> all) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            String answer = answered;
            if (answer != null) {
                change(all, answer);
            }
        } finally {
            lock.unlock();
        }
    }

    private void change(List<Change> all, String answer) throws InterruptedException {
        Set<String> come = new LinkedHashSet<>();
        StringBuilder gone = new StringBuilder();
        for (Change change : all) {
            String cable = change.cable();
            if (change.comes()) {
                if (shown.getOrDefault(cable, "").isEmpty()) {
                    shown.put(cable, "");
                    come.add(cable);
                }
            } else if (shown.remove(cable) != null) {
                come.remove(cable);
                gone.append(removal(cable));
            }
        }
        if (!gone.isEmpty() || !come.isEmpty()) {
            load(gone.toString(), come, answer);
        }
    }

    private static String removal(String cable) {
        return """
                add table netdev %1$s
                add chain netdev %1$s %2$s
                delete chain netdev %1$s %2$s
                add counter netdev %1$s %3$s%2$s
                delete counter netdev %1$s %3$s%2$s
                """.formatted(Ruleset.TABLE, cable, COUNTER);
    }

    /** Where one cable is in the way, the others are loaded when it is seen that they are missing. */
    private void load(String first, Collection<String> cables, String answer) throws InterruptedException {
        try {
            nft(first
                    + cables.stream()
                            .map(cable -> text(Ruleset.TABLE, cable, answer))
                            .collect(Collectors.joining()));
            for (String cable : cables) {
                shown.put(cable, look(cable));
            }
        } catch (CommandException e) {
            LOG.warn(
                    "rules for IPv6 of guests are as before; what comes from [{}] is dropped, and neither rejected nor counted: {}",
                    String.join(", ", cables),
                    e.getMessage());
        }
    }

    /** What nft shows of the chain of a cable that has just been loaded: but for the name, the same of each. */
    private String look(String cable) throws CommandException, InterruptedException {
        if (sample.isEmpty()) {
            sampled = cable;
            sample = chains().getOrDefault(cable, "");
        }
        return sample.replace(sampled, cable);
    }

    /** Looks whether the chains are those that were loaded, and loads them again where they are not. */
    void keep() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            String answer = answered;
            List<String> changed = answer == null || shown.isEmpty() ? List.of() : changed();
            if (answer != null && !changed.isEmpty()) {
                LOG.warn(
                        "the rules for IPv6 of {} are gone or changed; loading them again", String.join(", ", changed));
                changed.forEach(cable -> shown.put(cable, ""));
                load("", changed, answer);
            }
        } finally {
            lock.unlock();
        }
    }

    /** The cables whose chain is another. Those that are gone have taken it along, or will be removed. */
    private List<String> changed() throws InterruptedException {
        Map<String, String> chains = Map.of();
        try {
            chains = chains();
        } catch (CommandException e) {
            LOG.debug("nft does not show the rules for IPv6: {}", e.getMessage());
        }
        List<String> changed = new ArrayList<>();
        for (Map.Entry<String, String> entry : shown.entrySet()) {
            String cable = entry.getKey();
            if (!entry.getValue().equals(chains.get(cable)) && KernelVariables.isThere(cable)) {
                changed.add(cable);
            }
        }
        return changed;
    }

    /** What nft shows of each chain, without numbers that change. */
    private static Map<String, String> chains() throws CommandException, InterruptedException {
        String text = Command.of("nft", "--stateless", "--terse", "list", "table", "netdev", Ruleset.TABLE)
                .run();
        Map<String, String> chains = new HashMap<>();
        for (int start = text.indexOf(CHAIN); start >= 0; start = text.indexOf(CHAIN, start + 1)) {
            String chain = text.substring(start + CHAIN.length(), text.indexOf("\n\t}", start));
            chains.put(chain.substring(0, chain.indexOf(' ')), chain);
        }
        return chains;
    }

    /** How many packets of a cable were refused since it was loaded; none where they are not counted. */
    long refused(String cable) throws CommandException, IOException, InterruptedException {
        lock.lockInterruptibly();
        try {
            return shown.getOrDefault(cable, "").isEmpty() ? 0 : new NamedCounter("netdev", COUNTER + cable).packets();
        } finally {
            lock.unlock();
        }
    }

    /** Removes the table. */
    void close() throws CommandException, InterruptedException {
        lock.lockInterruptibly();
        try {
            if (answered != null) {
                nft("add table netdev %1$s\ndelete table netdev %1$s\n".formatted(Ruleset.TABLE));
            }
        } finally {
            lock.unlock();
        }
    }

    private static void nft(String text) throws CommandException, InterruptedException {
        Command.of("nft", "-f", "-").reading(text).run();
    }
}
