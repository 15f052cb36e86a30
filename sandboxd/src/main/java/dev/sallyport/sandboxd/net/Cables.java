package dev.sallyport.sandboxd.net;

import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import java.io.IOException;
import java.net.Inet4Address;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The interfaces and network namespaces of guests, as {@code ip} makes them. What a guest's start needs is one program, which
 * runs the others: beginning one from here takes longer than what it does. Thread-safe; the caller lets one thread at a time
 * work on a guest.
 */
final class Cables {

    static final String NAMESPACES = "sallyport-";

    private static final Logger LOG = LoggerFactory.getLogger(Cables.class);
    private static final Path NAMESPACE_FOLDER = Path.of("/run/netns");

    /** Makes a cable with two ends, of which the guest's is in a namespace of its own. Arguments: those of {@link #pair}. */
    private static final String PAIR = """
            set -e
            namespace=$1 file=$2 cable=$3 address=$4 gate=$5
            ip -batch - << END
            netns add $namespace
            link add $cable type veth peer name eth0 netns $namespace
            $8
            END
            for variable in $7; do
                echo 1 > /proc/sys/net/$variable
            done
            exec nsenter --net=$file -- sh -e -c '
                for variable in $0; do
                    echo ${variable#*=} > /proc/sys/net/${variable%%=*}
                done
                exec ip -batch -
            ' "$6" << END
            link set lo up
            address add $address/32 dev eth0
            link set eth0 up
            route add $gate dev eth0
            route add default via $gate
            END
            """;

    private final GatePlan plan;

    Cables(GatePlan plan) {
        this.plan = plan;
    }

    /**
     * Makes a cable of which both ends are up, and the guest's is in a namespace of its own.
     *
     * @return the namespace, as a file
     */
    Path pair(Inet4Address guest) throws CommandException, InterruptedException {
        Path file = file(guest);
        String cable = plan.cable(guest);
        Command.of(
                        "sh",
                        "-c",
                        PAIR,
                        "pair",
                        plan.namespace(guest),
                        file.toString(),
                        cable,
                        guest.getHostAddress(),
                        plan.gate(),
                        String.join(" ", KernelVariables.ofGuest()),
                        String.join(" ", KernelVariables.ofHost(cable)),
                        up(cable, guest))
                .run();
        return file;
    }

    /** Makes a namespace in which a guest's process makes its tap; returns it, as a file. */
    Path room(Inet4Address guest) throws CommandException, InterruptedException {
        Command.of("ip", "netns", "add", plan.namespace(guest)).run();
        return file(guest);
    }

    /** Takes a tap out of the namespace in which it was made. */
    void take(Inet4Address guest) throws CommandException, InterruptedException {
        String here = Long.toString(ProcessHandle.current().pid());
        Command.of("ip", "-netns", plan.namespace(guest), "link", "set", plan.cable(guest), "netns", here)
                .run();
    }

    /** Whether this machine's end of a guest's cable is there. */
    boolean isThere(Inet4Address guest) {
        return KernelVariables.isThere(plan.cable(guest));
    }

    /**
     * Brings up a cable that is there, with the routes that the kernel forgets of one that is down. The gate's address is one
     * of the cable's own, for its answer to whoever asks by ARP.
     */
    void up(Inet4Address guest) throws CommandException, IOException, InterruptedException {
        String cable = plan.cable(guest);
        KernelVariables.set(cable);
        batch(up(cable, guest));
    }

    private String up(String cable, Inet4Address guest) {
        return """
                address replace %3$s/32 dev %1$s
                link set %1$s up
                route replace %2$s/32 dev %1$s src %3$s
                """.formatted(cable, guest.getHostAddress(), plan.gate());
    }

    void down(Inet4Address guest) throws CommandException, InterruptedException {
        Command.of("ip", "link", "set", plan.cable(guest), "down").run();
    }

    /** Removes what there is of a guest's. */
    void remove(Inet4Address guest) throws CommandException, InterruptedException {
        String lines = (isThere(guest) ? "link delete " + plan.cable(guest) + "\n" : "")
                + (Files.exists(file(guest)) ? "netns delete " + plan.namespace(guest) + "\n" : "");
        if (!lines.isEmpty()) {
            batch(lines);
        }
    }

    /** Removes those of all others than these guests; what does not go is logged. */
    void removeOthers(Collection<Inet4Address> guests) throws CommandException, IOException, InterruptedException {
        Set<String> kept = new HashSet<>();
        guests.forEach(guest -> kept.add(plan.namespace(guest)));
        guests.forEach(guest -> kept.add(plan.cable(guest)));
        for (String namespace : namespaces()) {
            if (!kept.contains(namespace)) {
                remove(Command.of("ip", "netns", "delete", namespace));
            }
        }
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

    private Path file(Inet4Address guest) {
        return NAMESPACE_FOLDER.resolve(plan.namespace(guest));
    }

    private static void batch(String lines) throws CommandException, InterruptedException {
        Command.of("ip", "-batch", "-").reading(lines).run();
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
}
