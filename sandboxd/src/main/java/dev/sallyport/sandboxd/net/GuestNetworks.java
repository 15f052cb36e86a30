package dev.sallyport.sandboxd.net;

import dev.sallyport.sandbox.Refused;
import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import java.io.IOException;
import java.net.Inet4Address;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cables between this machine and its guests. A guest has a network namespace that belongs to this machine's users, so that
 * its root changes neither addresses nor routes. Rules of a guest are loaded before its cable is there, and loaded again
 * within a second or two where somebody else removes or changes them; while that fails, no cable is up. For any number of
 * threads.
 */
public final class GuestNetworks {

    private static final Logger LOG = LoggerFactory.getLogger(GuestNetworks.class);

    private final GatePlan plan;
    private final Cables cables;
    private final RefusalLog log;
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<Inet4Address> attached = new TreeSet<>(Comparator.comparing(Inet4Address::getHostAddress));
    private final RulesWatch watch = new RulesWatch(this::look);
    private final Ipv6Rules ipv6 = new Ipv6Rules();
    private final Batches<Change> changes = new Batches<>(this::change);
    private Ruleset rules;
    private String chains = "";
    private boolean severed;

    private record Change(Inet4Address guest, boolean comes) {}

    /**
     * Of a plan; nothing is made yet.
     *
     * @param names what guests are called in the log, by their addresses
     */
    public GuestNetworks(GatePlan plan, Function<Inet4Address, String> names) {
        this.plan = plan;
        this.cables = new Cables(plan);
        this.log = new RefusalLog(plan, names);
        this.rules = new Ruleset(plan, false);
    }

    /**
     * Makes the gate's address, and puts these guests' rules in the place of whatever there is; their cables are there
     * already. Cables and namespaces of others are removed. From now on until {@link #close}, the rules are watched.
     */
    public void reset(Collection<Inet4Address> guests) throws CommandException, IOException, InterruptedException {
        lock.lockInterruptibly();
        try {
            attached.clear();
            attached.addAll(guests);
            Command.of("ip", "address", "replace", plan.gate() + "/32", "dev", "lo")
                    .run();
            Command.of("ip", "link", "set", "lo", "up").run();
            boolean logs = log.open();
            rules = new Ruleset(plan, logs);
            load(rules.fresh(attached));
            ipv6.open(logs);
            chains = chains();
            severed = !connect();
            cables.removeOthers(attached);
            watch.start();
        } finally {
            lock.unlock();
        }
    }

    /** What nft shows of the chains, which are the same whatever guests there are; without numbers that change. */
    private static String chains() throws CommandException, InterruptedException {
        String text = Command.of("nft", "--stateless", "--terse", "list", "table", "inet", Ruleset.TABLE)
                .run();
        int start = text.indexOf("\tchain ");
        return start < 0 ? "" : text.substring(start);
    }

    private void look() throws InterruptedException {
        keepRules();
        ipv6.keep();
        log.write();
    }

    /** Looks whether the rules are those that were loaded, and loads them again where they are not. */
    private void keepRules() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (!areWhole()) {
                LOG.warn("the rules of the guests are gone or changed; loading them again");
                load(rules.change(attached, Set.of()));
            }
            if (severed) {
                severed = !connect();
            }
        } catch (CommandException e) {
            LOG.error("the guests have no rules and no network: {}", e.getMessage());
            sever();
        } finally {
            lock.unlock();
        }
    }

    private boolean areWhole() throws InterruptedException {
        try {
            return chains().equals(chains);
        } catch (CommandException e) {
            LOG.debug("nft does not show the rules: {}", e.getMessage());
            return false;
        }
    }

    /** Takes the cables down. */
    private void sever() throws InterruptedException {
        severed = true;
        for (Inet4Address guest : attached) {
            try {
                if (cables.isThere(guest)) {
                    cables.down(guest);
                }
            } catch (CommandException e) {
                LOG.error("{} is still up, without rules: {}", plan.cable(guest), e.getMessage());
            }
        }
    }

    /**
     * Brings up the cables that are there.
     *
     * @return whether all of them are up
     */
    private boolean connect() throws InterruptedException {
        boolean all = true;
        for (Inet4Address guest : attached) {
            try {
                if (cables.isThere(guest)) {
                    connect(guest);
                }
            } catch (CommandException | IOException e) {
                LOG.error("{} is not up: {}", plan.cable(guest), e.toString());
                all = false;
            }
        }
        return all;
    }

    /**
     * Connects a guest.
     *
     * @return its network namespace, as a file
     */
    public Path attach(Inet4Address guest) throws CommandException, IOException, InterruptedException {
        admit(guest);
        Path namespace = cables.pair(guest);
        ipv6.load(plan.cable(guest));
        return namespace;
    }

    /**
     * Makes room for a guest that is a process with a tap, whose rules are loaded then. The process begins in a network
     * namespace in which nothing else is, and makes its tap there, by the name of {@link #cable}.
     *
     * @return the namespace, as a file
     */
    public Path admitTap(Inet4Address guest) throws CommandException, InterruptedException {
        admit(guest);
        return cables.room(guest);
    }

    /** Connects a guest whose process has its tap: takes that out of the process's namespace, which has no network then. */
    public void attachTap(Inet4Address guest) throws CommandException, IOException, InterruptedException {
        cables.take(guest);
        connect(guest);
    }

    private void connect(Inet4Address guest) throws CommandException, IOException, InterruptedException {
        cables.up(guest);
        ipv6.load(plan.cable(guest));
    }

    /** The name of the host's end of a guest's cable. */
    public String cable(Inet4Address guest) {
        return plan.cable(guest);
    }

    private void admit(Inet4Address guest) throws CommandException, InterruptedException {
        changes.add(new Change(guest, true));
    }

    /** Loads the rules of all who come and go at the moment: one transaction of the kernel takes as long as many. */
    private void change(List<Change> all) throws CommandException, InterruptedException {
        lock.lockInterruptibly();
        Set<Inet4Address> before = new HashSet<>(attached);
        boolean loaded = false;
        try {
            Set<Inet4Address> gone = new HashSet<>();
            for (Change change : all) {
                if (change.comes()) {
                    attached.add(change.guest());
                } else if (attached.remove(change.guest()) && before.contains(change.guest())) {
                    gone.add(change.guest());
                }
            }
            if (!gone.isEmpty() || !attached.equals(before)) {
                load(rules.change(attached, gone));
            }
            loaded = true;
        } finally {
            if (!loaded) {
                attached.clear();
                attached.addAll(before);
            }
            lock.unlock();
        }
    }

    /** Disconnects a guest, of which nothing may run any more. One that is not connected is no error. */
    public void detach(Inet4Address guest) throws CommandException, InterruptedException {
        ipv6.remove(plan.cable(guest));
        cables.remove(guest);
        changes.add(new Change(guest, false));
    }

    /** What was refused of a guest since it was attached; zeros for one that is not. */
    public Refused refused(Inet4Address guest) throws CommandException, IOException, InterruptedException {
        lock.lockInterruptibly();
        try {
            if (!attached.contains(guest)) {
                return new Refused(0, 0);
            }
            return new Refused(
                    count(rules.refusedCounter(guest)) + ipv6.refused(plan.cable(guest)),
                    count(rules.spoofedCounter(guest)));
        } finally {
            lock.unlock();
        }
    }

    private static long count(String counter) throws CommandException, IOException, InterruptedException {
        return new NamedCounter("inet", counter).packets();
    }

    /** Ends the watch, and removes the rules and the gate's address, unless a guest is connected. */
    public void close() throws CommandException, InterruptedException {
        watch.close();
        lock.lockInterruptibly();
        try {
            log.close();
            if (attached.isEmpty()) {
                load(rules.none());
                ipv6.close();
                Command.of("ip", "address", "delete", plan.gate() + "/32", "dev", "lo")
                        .run();
            }
        } finally {
            lock.unlock();
        }
    }

    private static void load(String text) throws CommandException, InterruptedException {
        Command.of("nft", "-f", "-").reading(text).run();
    }
}
