package dev.sallyport.sandboxd.net;

import java.net.Inet4Address;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The rules of nftables for all guests: one table, which nft loads as one transaction. IPv6 does not come so far, see
 * {@link Ipv6Rules}.
 *
 * <p>A packet of a guest passes these chains in turn. {@code source} drops what has not the address of its cable, so that
 * cable and address are the guest's identity, and parts of packets, before they take of the room in which all of the machine's
 * wait for the others; it drops the same addresses, and the gate's, where another interface brings
 * them. {@code admit} lets TCP and DNS through and refuses all else at once: in prerouting, because a machine that forwards
 * nothing never gets to refuse later. It limits open connections, DNS exchanges and new connections a second for each
 * cable: connection tracking keeps a closed connection and an answered query for a while, and its table is the whole
 * machine's. {@code steer} turns every TCP connection and DNS to the gate, before other programs' rules turn them
 * elsewhere. {@code local} lets in what was steered to the gate's ports and answers to this machine, and {@code through}
 * lets nothing pass. A connection that was made while the rules were gone is refused by both once they are back.
 */
final class Ruleset {

    /** The table. */
    static final String TABLE = "sallyport_sandbox";

    /** What the names of the host's ends of cables begin with. */
    static final String CABLES = "svh";

    /** Sets of what is counted of a cable, which the next guest at that cable starts anew. */
    private static final List<String> LIMITS = List.of("connections", "connects", "queries", "lines");

    /** What is said of packets with an address that is not the guest's. */
    static final String SPOOFED = "spoofed";

    /** What is said of all else that is refused. */
    static final String REFUSED = "refused";

    private final GatePlan plan;
    private final boolean logs;

    /** @param logs whether some of what is refused is logged */
    Ruleset(GatePlan plan, boolean logs) {
        this.plan = plan;
        this.logs = logs;
    }

    /** Puts a table with these guests in the place of whatever there is. */
    String fresh(Collection<Inet4Address> guests) {
        return "add table inet " + TABLE + "\ndelete table inet " + TABLE + "\n" + table(guests);
    }

    /**
     * Changes the table to these guests; counters of those that stay go on. Loads also where somebody else has removed the
     * table, or a part of it: what is flushed or deleted is declared before.
     */
    String change(Collection<Inet4Address> guests, Set<Inet4Address> gone) {
        StringBuilder text = new StringBuilder("""
                table inet %1$s {
                %2$s}
                flush table inet %1$s
                flush set inet %1$s leases
                flush map inet %1$s refused
                flush map inet %1$s spoofed
                """.formatted(TABLE, counters(gone) + elements(List.of())));
        gone.forEach(guest -> text.append(forgotten(guest)));
        return text.append(table(guests)).toString();
    }

    /**
     * Changes what differs alone, which takes the kernel a tenth of the time of {@link #change}, and shows the table as it was
     * before, for who has to see that its chains are those that were loaded. Loads only where the table has all of these who
     * go, and none of those who come.
     */
    String difference(Collection<Inet4Address> come, Collection<Inet4Address> gone) {
        StringBuilder text = new StringBuilder("list table inet %s\n".formatted(TABLE));
        for (Inet4Address guest : gone) {
            text.append("delete element" + in("leases", lease(guest)));
            text.append("delete element" + in("refused", quoted(plan.cable(guest))));
            text.append("delete element" + in("spoofed", quoted(plan.cable(guest))));
            text.append(forgotten(guest));
        }
        for (Inet4Address guest : come) {
            text.append("create counter inet %s %s\n".formatted(TABLE, refusedCounter(guest)));
            text.append("create counter inet %s %s\n".formatted(TABLE, spoofedCounter(guest)));
            text.append("create element" + in("leases", lease(guest)));
            text.append("create element" + in("refused", counted(guest, refusedCounter(guest))));
            text.append("create element" + in("spoofed", counted(guest, spoofedCounter(guest))));
        }
        return text.toString();
    }

    private static String in(String set, String element) {
        return " inet %s %s { %s }\n".formatted(TABLE, set, element);
    }

    /** What is kept of a cable besides the maps; deleting what is not there would fail, adding what is there does nothing. */
    private String forgotten(Inet4Address guest) {
        StringBuilder text = new StringBuilder();
        text.append("delete counter inet %s %s\n".formatted(TABLE, refusedCounter(guest)));
        text.append("delete counter inet %s %s\n".formatted(TABLE, spoofedCounter(guest)));
        for (String limited : LIMITS) {
            String element = in(limited, quoted(plan.cable(guest)));
            text.append("add element").append(element).append("delete element").append(element);
        }
        return text.toString();
    }

    private String lease(Inet4Address guest) {
        return quoted(plan.cable(guest)) + " . " + guest.getHostAddress();
    }

    private String counted(Inet4Address guest, String counter) {
        return quoted(plan.cable(guest)) + " : " + quoted(counter);
    }

    /** Removes the table. */
    String none() {
        return "add table inet " + TABLE + "\ndelete table inet " + TABLE + "\n";
    }

    String refusedCounter(Inet4Address guest) {
        return "refused_" + plan.index(guest);
    }

    String spoofedCounter(Inet4Address guest) {
        return "spoofed_" + plan.index(guest);
    }

    private String table(Collection<Inet4Address> guests) {
        return "table inet " + TABLE + " {\n" + counters(guests) + elements(guests) + filters() + steering() + "}\n";
    }

    private String counters(Collection<Inet4Address> guests) {
        return guests.stream()
                .map(guest -> "  counter " + refusedCounter(guest) + " {\n  }\n  counter " + spoofedCounter(guest)
                        + " {\n  }\n")
                .collect(Collectors.joining());
    }

    private String elements(Collection<Inet4Address> guests) {
        return """
                  set leases {
                    type ifname . ipv4_addr
                %s  }
                  map refused {
                    type ifname : counter
                %s  }
                  map spoofed {
                    type ifname : counter
                %s  }
                %s""".formatted(
                        list(guests, this::lease),
                        list(guests, guest -> counted(guest, refusedCounter(guest))),
                        list(guests, guest -> counted(guest, spoofedCounter(guest))),
                        LIMITS.stream().map(Ruleset::limit).collect(Collectors.joining()));
    }

    private static String limit(String name) {
        return """
                  set %s {
                    type ifname
                    size 65535
                    flags dynamic
                  }
                """.formatted(name);
    }

    private interface Element {
        String of(Inet4Address guest);
    }

    private static String list(Collection<Inet4Address> guests, Element element) {
        if (guests.isEmpty()) {
            return "";
        }
        return guests.stream()
                .map(element::of)
                .collect(Collectors.joining(",\n      ", "    elements = {\n      ", "\n    }\n"));
    }

    private String filters() {
        return """
                  chain source {
                    type filter hook prerouting priority -450; policy accept;
                    iifname "lo" accept
                    iifname != "svh*" ip saddr %1$s drop
                    iifname != "svh*" ip daddr %2$s drop
                    iifname != "svh*" accept
                    ip frag-off & 0x3fff != 0 counter name iifname map @refused drop
                    meta nfproto ipv4 iifname . ip saddr @leases accept
                    meta nfproto ipv6 accept
                %7$s    counter name iifname map @spoofed
                    drop
                  }
                  chain admit {
                    type filter hook prerouting priority mangle; policy accept;
                    iifname != "svh*" accept
                    ct state established,related accept
                    meta nfproto ipv4 udp dport 53 ct state new add @queries { iifname ct count over %3$d } counter name iifname map @refused reject with icmpx admin-prohibited
                    meta nfproto ipv4 udp dport 53 accept
                    meta nfproto ipv4 meta l4proto tcp ct state new add @connections { iifname ct count over %3$d } counter name iifname map @refused reject with tcp reset
                    meta nfproto ipv4 meta l4proto tcp ct state new add @connects { iifname limit rate over %4$d/second burst %3$d packets } counter name iifname map @refused reject with tcp reset
                    meta nfproto ipv4 meta l4proto tcp accept
                %8$s    counter name iifname map @refused
                    reject with icmpx admin-prohibited
                  }
                  chain local {
                    type filter hook input priority filter; policy accept;
                    iifname != "svh*" accept
                    ct direction reply ct state established,related accept
                    meta l4proto icmp ct state related accept
                    ct status dnat ip daddr %2$s tcp dport { %5$d, %6$d } accept
                    ct status dnat ip daddr %2$s udp dport %6$d accept
                    counter name iifname map @refused
                    reject with icmpx admin-prohibited
                  }
                  chain through {
                    type filter hook forward priority filter; policy accept;
                    iifname "svh*" counter name iifname map @refused
                    iifname "svh*" reject with icmpx admin-prohibited
                    oifname "svh*" drop
                  }
                """.formatted(
                        plan.subnet(),
                        plan.gate(),
                        plan.connectionsPerGuest(),
                        plan.connectsPerSecond(),
                        plan.tcpPort(),
                        plan.dnsPort(),
                        logged(SPOOFED),
                        logged(REFUSED));
    }

    /** A rule that tells of a few packets a second, of a guest and of all of them, and lets each go on to the next rule. */
    private String logged(String prefix) {
        return !logs ? "" : """
                    add @lines { iifname limit rate 2/second burst 5 packets } limit rate %d/second log prefix %s group %d
                """.formatted(RefusalLog.LINES, quoted(prefix), RefusalLog.GROUP);
    }

    private String steering() {
        return """
                  chain steer {
                    type nat hook prerouting priority dstnat - 10; policy accept;
                    iifname != "svh*" accept
                    meta nfproto ipv4 meta l4proto { tcp, udp } th dport 53 dnat ip to %s:%d
                    meta nfproto ipv4 meta l4proto tcp dnat ip to %s:%d
                  }
                """.formatted(plan.gate(), plan.dnsPort(), plan.gate(), plan.tcpPort());
    }

    private static String quoted(String text) {
        return '"' + text + '"';
    }
}
