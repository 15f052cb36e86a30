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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
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

    /** Those who have rules; changed under the lock alone. */
    private final Set<Inet4Address> attached =
            new ConcurrentSkipListSet<>(Comparator.comparing(Inet4Address::getHostAddress));

    /** Those who have rules or have asked for them: who gave up waiting gets them all the same. */
    private final Set<Inet4Address> known = ConcurrentHashMap.newKeySet();

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
            known.clear();
            known.addAll(guests);
            cables.openGate();
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
        return chainsIn(
                list().reading("list table inet " + Ruleset.TABLE + "\n").run());
    }

    /** Runs commands, among them one that shows the table. */
    private static Command list() {
        return Command.of("nft", "--stateless", "--terse", "-f", "-");
    }

    private static String chainsIn(String table) {
        int start = table.indexOf("\tchain ");
        return start < 0 ? "" : table.substring(start);
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
            } catch (IOException e) {
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
            } catch (IOException e) {
                LOG.error("{} is not up: {}", plan.cable(guest), e.getMessage());
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
        cables.pair(guest);
        ipv6.begin(plan.cable(guest));
        return namespace(guest);
    }

    /**
     * Makes room for a guest that is a process with a tap, whose rules are loaded then. The process begins in a network
     * namespace in which nothing else is, and makes its tap there, by the name of {@link #cable}.
     *
     * @return the namespace, as a file
     */
    public Path admitTap(Inet4Address guest) throws CommandException, IOException, InterruptedException {
        admit(guest);
        cables.room(guest);
        return namespace(guest);
    }

    private Path namespace(Inet4Address guest) {
        return Namespaces.file(plan.namespace(guest));
    }

    /** Connects a guest whose process has its tap: takes that out of the process's namespace, which has no network then. */
    public void attachTap(Inet4Address guest) throws IOException, InterruptedException {
        cables.take(guest);
        connect(guest);
    }

    private void connect(Inet4Address guest) throws IOException, InterruptedException {
        cables.up(guest);
        ipv6.load(plan.cable(guest));
    }

    /** The name of the host's end of a guest's cable. */
    public String cable(Inet4Address guest) {
        return plan.cable(guest);
    }

    /**
     * Loads the rules of a guest, before there is a cable; those of all who come at the moment are loaded together. What
     * connects a guest does it too where it was not done before.
     */
    public void admit(Inet4Address guest) throws CommandException, InterruptedException {
        if (!attached.contains(guest)) {
            known.add(guest);
            changes.add(new Change(guest, true));
        }
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
            Set<Inet4Address> come = new HashSet<>(attached);
            come.removeAll(before);
            come.addAll(attached.stream().filter(gone::contains).toList()); // counted anew
            if (!gone.isEmpty() || !come.isEmpty()) {
                load(come, gone);
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

    /** Changes the rules, or writes all of them where they are not those that were loaded. */
    private void load(Set<Inet4Address> come, Set<Inet4Address> gone) throws CommandException, InterruptedException {
        try {
            if (chainsIn(list().reading(rules.difference(come, gone)).run()).equals(chains)) {
                return;
            }
            LOG.warn("the rules of the guests are changed; loading them again");
        } catch (CommandException e) {
            LOG.warn("the rules of the guests are not as they were; loading them again: {}", e.getMessage());
        }
        load(rules.change(attached, gone));
    }

    /** Disconnects a guest, of which nothing may run any more. One that is not connected is no error. */
    public void detach(Inet4Address guest) throws CommandException, IOException, InterruptedException {
        boolean mayHaveRules = known.contains(guest);
        if (mayHaveRules) {
            ipv6.remove(plan.cable(guest));
        }
        cables.remove(guest);
        if (mayHaveRules) {
            changes.add(new Change(guest, false));
            known.remove(guest);
        }
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
    public void close() throws CommandException, IOException, InterruptedException {
        watch.close();
        lock.lockInterruptibly();
        try {
            log.close();
            if (attached.isEmpty()) {
                load(rules.none());
                ipv6.close();
                cables.closeGate();
            }
        } finally {
            lock.unlock();
        }
    }

    private static void load(String text) throws CommandException, InterruptedException {
        Command.of("nft", "-f", "-").reading(text).run();
    }
}
