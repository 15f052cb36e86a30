package dev.sallyport.core.config;

import dev.sallyport.core.config.ProxySection.Transparent;
import dev.sallyport.toolkit.match.IpRange;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Warns where clients that a section leads to the proxy, without their knowing it, would be misunderstood: HTTPS at a listener
 * of HTTP, and names at an address that is another's.
 */
public final class SteeringWarnings {

    private SteeringWarnings() {}

    /** Warnings about {@code proxy} and {@code dns}. */
    public static List<ConfigProblem> of(ProxyConfig config, Locations places) {
        List<ConfigProblem> found = new ArrayList<>();
        config.companions()
                .forEach(companion -> companion.steered().forEach((pointer, range) -> {
                    transparent(config, places, pointer, range, found);
                    address(config, places, pointer, range, found);
                }));
        return found;
    }

    private static void transparent(
            ProxyConfig config, Locations places, String pointer, IpRange range, List<ConfigProblem> found) {
        String at = "/proxy/transparent";
        Transparent mode = config.proxy().transparent();
        if (config.proxy().httpListen() != null && mode != Transparent.REDIRECT && places.isSound(at)) {
            found.add(new ConfigProblem(
                    places.of(at),
                    at,
                    mode.name().toLowerCase(Locale.ROOT) + ", so of what comes from " + range + " (" + pointer
                            + ") HTTP alone is understood",
                    "redirect"));
        }
    }

    private static void address(
            ProxyConfig config, Locations places, String pointer, IpRange range, List<ConfigProblem> found) {
        String at = "/dns/proxy_ip";
        InetAddress first = first(range);
        InetAddress told = config.dns().proxyIp();
        if (config.dns().enabled() && told != null && !told.equals(first) && places.isSound(at)) {
            found.add(new ConfigProblem(
                    places.of(at),
                    at,
                    told.getHostAddress() + ", which is not where " + range + " (" + pointer + ") has the proxy",
                    first.getHostAddress()));
        }
    }

    private static InetAddress first(IpRange range) {
        byte[] address = ByteBuffer.allocate(Integer.BYTES)
                .putInt((int) (range.high() >>> 32) + 1)
                .array();
        try {
            return InetAddress.getByAddress(address);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes are an address", e);
        }
    }
}
