package dev.sallyport.sandboxd.net;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Variables of the kernel for the two ends of a cable. */
final class KernelVariables {

    private static final Path FOLDER = Path.of("/proc/sys/net");
    private static final Path IPV6 = FOLDER.resolve("ipv6");

    private KernelVariables() {}

    /** Whether the host's end of a cable is there. */
    static boolean isThere(String cable) {
        return Files.exists(FOLDER.resolve("ipv4/conf").resolve(cable));
    }

    /** The names of the interfaces that begin with something. */
    static List<String> interfaces(String prefix) throws IOException {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(FOLDER.resolve("ipv4/conf"), prefix + "*")) {
            found.forEach(path -> names.add(path.getFileName().toString()));
        }
        return names;
    }

    /** Sets those of the host's end of a cable. */
    static void set(String cable) throws IOException {
        for (String variable : ofHost(cable, Files.exists(IPV6))) {
            Files.writeString(FOLDER.resolve(variable), "1");
        }
    }

    /** Sets those of a guest's namespace, in which this thread is. */
    static void setGuests() throws IOException {
        for (String variable : ofGuest(Files.exists(IPV6))) {
            String[] parts = variable.split("=", 2);
            Files.writeString(FOLDER.resolve(parts[0]), parts[1]);
        }
    }

    /**
     * Variables of the host's end of a cable, all of which are 1. By ARP, who does not have the guest's address takes no place
     * in the table of neighbours, which is the whole machine's and small, and only addresses of the cable are told, which are
     * the gate's. Without IPv6, this machine believes no guest that says it is a router, whatever becomes of the rules.
     *
     * @param ipv6 whether the kernel has IPv6
     */
    static List<String> ofHost(String cable, boolean ipv6) {
        List<String> variables =
                new ArrayList<>(List.of("ipv4/conf/" + cable + "/arp_filter", "ipv4/conf/" + cable + "/arp_ignore"));
        if (ipv6) {
            variables.add("ipv6/conf/" + cable + "/disable_ipv6");
        }
        return variables;
    }

    /**
     * Variables of a guest's namespace, each with its value behind a {@code =}. Ports below 1024 need a capability in the namespace's own user namespace, which no
     * guest has. IPv6 is off: what a program begins by it fails at once, and waits for no neighbour that never answers.
     *
     * @param ipv6 whether the kernel has IPv6
     */
    static List<String> ofGuest(boolean ipv6) {
        List<String> variables = new ArrayList<>(List.of("ipv4/ip_unprivileged_port_start=0"));
        if (ipv6) {
            variables.add("ipv6/conf/all/disable_ipv6=1");
            variables.add("ipv6/conf/default/disable_ipv6=1");
        }
        return variables;
    }
}
