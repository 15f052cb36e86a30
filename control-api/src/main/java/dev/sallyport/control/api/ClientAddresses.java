package dev.sallyport.control.api;

import dev.sallyport.toolkit.match.CidrSet;
import dev.sallyport.toolkit.match.InvalidPatternException;
import dev.sallyport.toolkit.match.IpRange;
import io.micronaut.http.HttpRequest;
import jakarta.inject.Singleton;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * Finds the addresses of clients, also behind proxies that are trusted to name them: then it is the last one of
 * {@code X-Forwarded-For} that is no such proxy. Thread-safe.
 */
@Singleton
final class ClientAddresses {

    private static final String FORWARDED_FOR = "X-Forwarded-For";

    private final CidrSet trusted;

    ClientAddresses(Deployment deployment) {
        trusted = CidrSet.of(deployment.trustedProxies());
    }

    /** The address of the client of a request, as text. */
    String of(HttpRequest<?> request) {
        InetAddress peer = request.getRemoteAddress().getAddress();
        if (peer == null) {
            return request.getRemoteAddress().getHostString();
        }
        if (!trusted.contains(peer)) {
            return peer.getHostAddress();
        }
        return behind(peer, String.join(",", request.getHeaders().getAll(FORWARDED_FOR)))
                .getHostAddress();
    }

    /** From right to left, as far as proxies that are trusted wrote it. */
    private InetAddress behind(InetAddress peer, String forwardedFor) {
        String[] hops = forwardedFor.split(",", -1);
        InetAddress client = peer;
        for (int i = hops.length - 1; i >= 0 && trusted.contains(client); i--) {
            InetAddress hop = address(hops[i].strip());
            if (hop == null) {
                return client;
            }
            client = hop;
        }
        return client;
    }

    /** An address with or without brackets and port, or null. */
    private static @Nullable InetAddress address(String hop) {
        String text = hop;
        if (hop.startsWith("[")) {
            text = hop.substring(1, Math.max(1, hop.indexOf(']')));
        } else if (hop.indexOf(':') == hop.lastIndexOf(':') && hop.indexOf(':') > 0) {
            text = hop.substring(0, hop.indexOf(':'));
        }
        if (text.indexOf('/') >= 0) {
            return null;
        }
        try {
            IpRange.parse(text); // refuses names, which would be looked up
            return InetAddress.getByName(text);
        } catch (InvalidPatternException | UnknownHostException e) {
            return null; // a name, "unknown", or nonsense
        }
    }
}
