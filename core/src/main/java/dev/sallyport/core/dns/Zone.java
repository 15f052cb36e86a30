package dev.sallyport.core.dns;

import dev.sallyport.core.config.DnsSection;
import dev.sallyport.toolkit.match.HostGlobs;
import dev.sallyport.toolkit.match.Hosts;
import io.netty.util.NetUtil;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The server's data: static records, passthrough names, the proxy's addresses. Immutable. */
final class Zone {

    /** The records of a static name. */
    sealed interface Entry {

        /** IPv4 addresses, at least one. */
        record Addresses(List<byte[]> addresses) implements Entry {}

        /**
         * Another name.
         *
         * @param wire the target in wire form
         */
        record Alias(String target, byte[] wire) implements Entry {}
    }

    private final Map<String, Entry> records = new HashMap<>();
    private final HostGlobs passthrough;
    private final byte @Nullable [] address4;
    private final byte @Nullable [] address6;
    private final DnsSection.Limits limits;
    private final @Nullable InetSocketAddress upstream;

    private Zone(DnsSection section) {
        for (DnsSection.StaticRecord entry : section.records()) {
            add(Hosts.canonical(entry.name()), entry);
        }
        passthrough = HostGlobs.compile(section.passthrough(), Zone::unchecked, "/dns/passthrough");
        byte[] main = Objects.requireNonNull(section.proxyIp(), "dns.proxy_ip").getAddress();
        InetAddress six = section.proxyIp6();
        address4 = main.length == 4 ? main : null;
        address6 = main.length == 4 ? (six == null ? null : six.getAddress()) : main;
        limits = section.limits();
        upstream = section.upstreamResolver() == null
                ? null
                : section.upstreamResolver().toSocketAddress();
    }

    static Zone of(DnsSection section) {
        return new Zone(section);
    }

    private void add(String name, DnsSection.StaticRecord entry) {
        if (entry.type() == DnsSection.RecordType.CNAME) {
            String target = Hosts.canonical(entry.value());
            records.put(name, new Entry.Alias(target, wire(target)));
            return;
        }
        List<byte[]> addresses = new ArrayList<>();
        if (records.get(name) instanceof Entry.Addresses earlier) {
            addresses.addAll(earlier.addresses());
        }
        addresses.add(literal(entry.value()));
        records.put(name, new Entry.Addresses(List.copyOf(addresses)));
    }

    /** The section has been checked. */
    private static void unchecked(String pointer, String message, String expected) {
        throw new IllegalArgumentException(pointer + ": " + message + " (expected: " + expected + ")");
    }

    private static byte[] literal(String address) {
        return Objects.requireNonNull(NetUtil.createByteArrayFromIpAddressString(address), address);
    }

    /** A canonical name in wire form. */
    static byte[] wire(String name) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(name.length() + 2);
        for (String label : name.split("\\.", -1)) {
            out.write(label.length());
            out.writeBytes(label.getBytes(StandardCharsets.US_ASCII));
        }
        out.write(0);
        return out.toByteArray();
    }

    /** A name's own records, or null. */
    @Nullable Entry record(String name) {
        return records.get(name);
    }

    /** Whether a name is forwarded. */
    boolean passes(String name) {
        return !passthrough.isEmpty() && passthrough.matches(name);
    }

    /** The proxy's address for a type of query, or null for none. */
    byte @Nullable [] proxy(int type) {
        return switch (type) {
            case DnsProtocol.A -> address4;
            case DnsProtocol.AAAA -> address6;
            default -> null;
        };
    }

    DnsSection.Limits limits() {
        return limits;
    }

    /** The resolver for passthrough names; null for the operating system's resolvers. */
    @Nullable InetSocketAddress upstream() {
        return upstream;
    }
}
