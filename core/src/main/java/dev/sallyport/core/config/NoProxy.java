package dev.sallyport.core.config;

import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Problems;
import dev.sallyport.toolkit.match.Addresses;
import dev.sallyport.toolkit.match.Hosts;
import dev.sallyport.toolkit.match.InvalidHostException;
import dev.sallyport.toolkit.match.InvalidPatternException;
import dev.sallyport.toolkit.match.IpRange;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The destinations that are reached without a parent proxy, as {@code NO_PROXY} lists them: {@code example.com} (the
 * name and what is below it), {@code .example.com} and {@code *.example.com} (what is below it), an address, a range,
 * {@code *} (everything); each but the last with a port if need be. Addresses and ranges match literals only: no name is
 * resolved for them. Immutable and thread-safe.
 */
public final class NoProxy {

    private static final String EXPECTED =
            "names, addresses and ranges separated by commas, such as localhost,.internal,10.0.0.0/8,example.com:8443";

    private static final Pattern SEPARATORS = Pattern.compile("[,\\s]+");

    private final List<Entry> entries;

    private NoProxy(List<Entry> entries) {
        this.entries = List.copyOf(entries);
    }

    /**
     * One entry.
     *
     * @param suffix with a dot in front; null for a range, empty for everything
     * @param itself whether the name without the dot matches, too
     * @param port 0 for all
     */
    private record Entry(
            @Nullable String suffix,
            boolean itself,
            @Nullable IpRange range,
            int port) {

        boolean matches(Destination destination) {
            if (port != 0 && port != destination.port()) {
                return false;
            }
            InetAddress address = destination.address();
            String below = suffix;
            if (below == null) {
                return address != null && range != null && range.contains(Addresses.unmapped(address));
            }
            String host = destination.host();
            return below.isEmpty()
                    || (address == null
                            && (host.endsWith(below)
                                    || (itself && host.length() == below.length() - 1 && below.endsWith(host))));
        }
    }

    /** Parses a list that {@link #check} finds nothing wrong with; what is wrong is left out. */
    public static NoProxy of(String text) {
        return parse(text, (pointer, message, expected) -> {});
    }

    static void check(String text, String pointer, Problems problems) {
        parse(text, (at, message, expected) -> problems.add(pointer, message, expected));
    }

    private static NoProxy parse(String text, Problems problems) {
        List<Entry> entries = new ArrayList<>();
        for (String item : SEPARATORS.split(text, -1)) {
            if (item.isEmpty()) {
                continue;
            }
            try {
                entries.add(entry(item.toLowerCase(Locale.ROOT)));
            } catch (BadValueException | InvalidHostException | InvalidPatternException e) {
                problems.add("", "no name, address or range: " + MessageText.quoted(item), EXPECTED);
            }
        }
        return new NoProxy(entries);
    }

    private static Entry entry(String item) {
        if (item.equals("*")) {
            return new Entry("", false, null, 0);
        }
        if (item.indexOf('/') >= 0 || isBareV6(item)) {
            return new Entry(null, false, IpRange.parse(item), 0);
        }
        int colon = Ports.colon(item);
        int port = colon < 0 ? 0 : Ports.port(item.substring(colon + 1), 1);
        String name = colon < 0 ? item : item.substring(0, colon);
        boolean below = name.startsWith(".") || name.startsWith("*.");
        String host = Hosts.canonical(below ? name.substring(name.indexOf('.') + 1) : name);
        return !below && Hosts.isLiteral(host)
                ? new Entry(null, false, IpRange.parse(host), port)
                : new Entry("." + host, !below, null, port);
    }

    private static boolean isBareV6(String item) {
        return !item.startsWith("[") && item.indexOf(':') != item.lastIndexOf(':');
    }

    /** Whether a destination is reached directly. */
    public boolean matches(Destination destination) {
        for (Entry entry : entries) {
            if (entry.matches(destination)) {
                return true;
            }
        }
        return false;
    }
}
