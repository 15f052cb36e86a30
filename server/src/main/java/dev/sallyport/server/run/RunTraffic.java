package dev.sallyport.server.run;

import dev.sallyport.core.audit.AuditListener;
import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.audit.TransformTrace;
import dev.sallyport.server.run.linux.RefusedPacket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Counts what the program did. Thread-safe. */
final class RunTraffic implements AuditListener {

    private static final String SITE = "sallyport.internal";

    /** So many hosts, and so many addresses, are told apart: a program could make up any number. */
    private static final int MOST = 10_000;

    private static final String OTHERS = "others";

    private final Map<String, Tally> allowed = new TreeMap<>();
    private final Map<String, Refused> refused = new TreeMap<>();
    private final Map<String, Integer> packets = new TreeMap<>();
    private final Map<String, TreeSet<String>> secrets = new TreeMap<>();

    /** Requests to one host. */
    record Tally(String host, int requests, long bytes) {

        private Tally and(long more) {
            return new Tally(host, requests + 1, bytes + more);
        }
    }

    /**
     * Requests to one host that did not get through, all for one reason.
     *
     * @param allow what {@code --allow} would have to say; empty when that would not help
     * @param reason why, for people
     */
    record Refused(String host, int requests, String allow, String reason) {

        private Refused once() {
            return new Refused(host, requests + 1, allow, reason);
        }
    }

    @Override
    public synchronized void written(AuditRecord record, ByteBuffer line) {
        String host = destination(record);
        if (host.isEmpty() || record.host().equals(SITE)) {
            return;
        }
        switch (record.action()) {
            case REJECT, ERROR -> refuse(host, record);
            case ALLOW, STUB, CLIENT_CANCEL -> {
                if (isUnusedTunnel(record)) {
                    return;
                }
                long bytes = record.requestBytes() + record.responseBytes();
                allowed.merge(host, new Tally(host, 1, bytes), (before, one) -> before.and(one.bytes));
                noteSecrets(host, record.requestTraces());
            }
        }
    }

    /** A tunnel that the program has closed before anything came through it: no request, and nobody was asked for one. */
    private static boolean isUnusedTunnel(AuditRecord record) {
        return record.action() == AuditRecord.Action.CLIENT_CANCEL
                && record.method().equals("CONNECT")
                && record.requestBytes() + record.responseBytes() == 0;
    }

    /** The host, with its port if that is not a usual one; a connection that says no name has its address. */
    private static String destination(AuditRecord record) {
        return record.host().isEmpty()
                ? Objects.requireNonNullElse(record.tunnelTarget(), "")
                : AllowedHost.option(record.host(), record.port());
    }

    private void refuse(String host, AuditRecord record) {
        boolean listed = "allowlist".equals(record.rejectedBy());
        String by = record.rejectedBy();
        String error = record.error();
        String reason = listed ? "" : by != null ? "refused by " + by : error != null ? error : record.endedBy();
        Refused one = new Refused(host, 1, listed ? host : "", reason);
        String key = host + " " + reason;
        if (refused.size() < MOST || refused.containsKey(key)) {
            refused.merge(key, one, (before, more) -> before.once());
        } else {
            refused.merge(
                    OTHERS,
                    new Refused(OTHERS, 1, "", "more hosts than are told apart"),
                    (before, more) -> before.once());
        }
    }

    private void noteSecrets(String host, List<TransformTrace> traces) {
        for (TransformTrace trace : traces) {
            for (String key : List.of("swapped", "injected")) {
                if (trace.annotations().get(key) instanceof Collection<?> uses) {
                    uses.forEach(use -> noteSecret(host, use));
                }
            }
        }
    }

    private void noteSecret(String host, @Nullable Object use) {
        if (use instanceof Map<?, ?> fields && fields.get("secret") instanceof String name) {
            secrets.computeIfAbsent(name, key -> new TreeSet<>()).add(host);
        }
    }

    /** The kernel has refused a packet. Returns whether it is the first to its destination. */
    synchronized boolean refused(RefusedPacket packet) {
        String name = packet.toString();
        boolean known = packets.containsKey(name);
        boolean full = !known && packets.size() >= MOST;
        packets.merge(full ? OTHERS : name, 1, Integer::sum);
        return !known && !full;
    }

    synchronized List<Tally> allowed() {
        return List.copyOf(allowed.values());
    }

    synchronized List<Refused> refused() {
        return List.copyOf(refused.values());
    }

    /** Such as {@code tcp 192.0.2.7:25}, with how often. */
    synchronized Map<String, Integer> packets() {
        return new TreeMap<>(packets);
    }

    /** The names of the secrets that were put into requests, each with the hosts. */
    synchronized Map<String, List<String>> secrets() {
        Map<String, List<String>> used = new TreeMap<>();
        secrets.forEach((name, hosts) -> used.put(name, new ArrayList<>(hosts)));
        return used;
    }
}
