package dev.sallyport.sandboxd.net;

import dev.sallyport.sandbox.Refused;
import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import java.io.IOException;
import java.net.Inet4Address;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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

    static final String NAMESPACES = "sallyport-";

    private static final Logger LOG = LoggerFactory.getLogger(GuestNetworks.class);
    private static final Path NAMESPACE_FOLDER = Path.of("/run/netns");

    private final GatePlan plan;
    private final RefusalLog log;
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<Inet4Address> attached = new TreeSet<>(Comparator.comparing(Inet4Address::getHostAddress));
    private final RulesWatch watch = new RulesWatch(this::look);
    private final Ipv6Rules ipv6 = new Ipv6Rules();
    private Ruleset rules;
    private String chains = "";
    private boolean severed;

    /**
     * Of a plan; nothing is made yet.
     *
     * @param names what guests are called in the log, by their addresses
     */
    public GuestNetworks(GatePlan plan, Function<Inet4Address, String> names) {
        this.plan = plan;
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
            removeOthers();
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
            String cable = plan.cable(guest);
            try {
                if (KernelVariables.isThere(cable)) {
                    Command.of("ip", "link", "set", cable, "down").run();
                }
            } catch (CommandException e) {
                LOG.error("{} is still up, without rules: {}", cable, e.getMessage());
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
            String cable = plan.cable(guest);
            try {
                if (KernelVariables.isThere(cable)) {
                    connect(guest);
                }
            } catch (CommandException | IOException e) {
                LOG.error("{} is not up: {}", cable, e.toString());
                all = false;
            }
        }
        return all;
    }

    private void removeOthers() throws CommandException, IOException, InterruptedException {
        Set<String> kept = new HashSet<>();
        attached.forEach(guest -> kept.add(plan.namespace(guest)));
        for (String namespace : namespaces()) {
            if (!kept.contains(namespace)) {
                remove(Command.of("ip", "netns", "delete", namespace));
            }
        }
        attached.forEach(guest -> kept.add(plan.cable(guest)));
        for (String cable : cables()) {
            if (!kept.contains(cable)) {
                remove(Command.of("ip", "link", "delete", cable));
            }
        }
    }

    private static void remove(Command removal) throws InterruptedException {
        try {
            removal.run();
        } catch (CommandException e) {
            LOG.warn("a remain of the network stays: {}", e.getMessage());
        }
    }

    private static List<String> namespaces() throws IOException {
        if (!Files.isDirectory(NAMESPACE_FOLDER)) {
            return List.of();
        }
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(NAMESPACE_FOLDER, NAMESPACES + "*")) {
            found.forEach(path -> names.add(path.getFileName().toString()));
        }
        return names;
    }

    private static List<String> cables() throws CommandException, InterruptedException {
        return Command.of("ip", "-oneline", "link", "show")
                .run()
                .lines()
                .map(line -> line.split(": ", 3)[1].split("@", 2)[0])
                .filter(name -> name.startsWith(Ruleset.CABLES))
                .toList();
    }

    /**
     * Connects a guest.
     *
     * @return its network namespace, as a file
     */
    public Path attach(Inet4Address guest) throws CommandException, IOException, InterruptedException {
        admit(guest);
        String namespace = plan.namespace(guest);
        Path file = NAMESPACE_FOLDER.resolve(namespace);
        String address = guest.getHostAddress();
        String cable = plan.cable(guest);
        Command.of("ip", "-batch", "-").reading("""
                        netns add %1$s
                        link add %2$s type veth peer name eth0 netns %1$s
                        """.formatted(namespace, cable)).run();
        connect(guest);
        List<String> sysctl = new ArrayList<>(List.of("nsenter", "--net=" + file, "--", "sysctl", "-q", "-w"));
        sysctl.addAll(KernelVariables.ofGuest());
        Command.of(sysctl).run();
        Command.of("ip", "-netns", namespace, "-batch", "-")
                .reading("""
                        link set lo up
                        address add %1$s/32 dev eth0
                        link set eth0 up
                        route add %2$s dev eth0
                        route add default via %2$s
                        """.formatted(address, plan.gate()))
                .run();
        return file;
    }

    /**
     * Makes room for a guest that is a process with a tap, whose rules are loaded then. The process begins in a network
     * namespace in which nothing else is, and makes its tap there, by the name of {@link #cable}.
     *
     * @return the namespace, as a file
     */
    public Path admitTap(Inet4Address guest) throws CommandException, InterruptedException {
        admit(guest);
        Command.of("ip", "netns", "add", plan.namespace(guest)).run();
        return NAMESPACE_FOLDER.resolve(plan.namespace(guest));
    }

    /** Connects a guest whose process has its tap: takes that out of the process's namespace, which has no network then. */
    public void attachTap(Inet4Address guest) throws CommandException, IOException, InterruptedException {
        String cable = plan.cable(guest);
        Command.of(
                        "ip",
                        "-netns",
                        plan.namespace(guest),
                        "link",
                        "set",
                        cable,
                        "netns",
                        Long.toString(ProcessHandle.current().pid()))
                .run();
        connect(guest);
    }

    /**
     * Brings up a cable that is there, with the routes that the kernel forgets of one that is down. The gate's address is one
     * of the cable's own, for its answer to whoever asks by ARP.
     */
    private void connect(Inet4Address guest) throws CommandException, IOException, InterruptedException {
        String cable = plan.cable(guest);
        KernelVariables.set(cable);
        ipv6.load(cable);
        Command.of("ip", "-batch", "-")
                .reading("""
                        address replace %3$s/32 dev %1$s
                        link set %1$s up
                        route replace %2$s/32 dev %1$s src %3$s
                        """.formatted(cable, guest.getHostAddress(), plan.gate()))
                .run();
    }

    /** The name of the host's end of a guest's cable. */
    public String cable(Inet4Address guest) {
        return plan.cable(guest);
    }

    private void admit(Inet4Address guest) throws CommandException, InterruptedException {
        lock.lockInterruptibly();
        try {
            if (attached.add(guest)) {
                loadOrUndo(Set.of(), () -> attached.remove(guest));
            }
        } finally {
            lock.unlock();
        }
    }

    private void loadOrUndo(Set<Inet4Address> gone, Runnable undo) throws CommandException, InterruptedException {
        boolean loaded = false;
        try {
            load(rules.change(attached, gone));
            loaded = true;
        } finally {
            if (!loaded) {
                undo.run();
            }
        }
    }

    /** Disconnects a guest, of which nothing may run any more. One that is not connected is no error. */
    public void detach(Inet4Address guest) throws CommandException, InterruptedException {
        String cable = plan.cable(guest);
        ipv6.remove(cable);
        if (KernelVariables.isThere(cable)) {
            Command.of("ip", "link", "delete", cable).run();
        }
        if (Files.exists(NAMESPACE_FOLDER.resolve(plan.namespace(guest)))) {
            Command.of("ip", "netns", "delete", plan.namespace(guest)).run();
        }
        lock.lockInterruptibly();
        try {
            if (attached.remove(guest)) {
                loadOrUndo(Set.of(guest), () -> attached.add(guest));
            }
        } finally {
            lock.unlock();
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
