package dev.sallyport.core.net.request;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.spi.Principal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.function.Supplier;

/**
 * Identifies the caller of a request: the user named by {@code Proxy-Authorization}, if the proxy requires
 * authentication, otherwise the owner of the connection. Only proxy requests need credentials, never requests inside a
 * tunnel: all requests on the tunnel listener, and those in absolute form elsewhere.
 */
public final class ProxyAuthenticator {

    private static final String FIELD = "Proxy-Authorization";
    private static final String SCHEME = "Basic ";

    private final Supplier<ProxyUsers> users;
    private final Ingress ingress;
    private final Principal connection;

    public ProxyAuthenticator(Supplier<ProxyUsers> users, Ingress ingress, Principal connection) {
        this.users = users;
        this.ingress = ingress;
        this.connection = connection;
    }

    /** @param proxyForm whether the request is a CONNECT or has a target in absolute form */
    public Principal of(boolean proxyForm, HeaderBlock headers) throws RefusedException {
        if (ingress.tunnel() != null || !(proxyForm || ingress.opensTunnels())) {
            return connection;
        }
        ProxyUsers known = users.get();
        if (!known.asked()) {
            return connection;
        }
        int lines = headers.count(FIELD);
        if (lines == 0) {
            if (known.required()) {
                throw ProxyUsers.refused(ProxyUsers.MISSING);
            }
            return connection;
        }
        if (lines > 1) {
            throw ProxyUsers.refused("There is more than one Proxy-Authorization.");
        }
        return known.authenticate(basic(headers.value(headers.indexOf(FIELD, 0))));
    }

    /** RFC 7617, 2: the first colon ends the name. */
    private static ProxyCredentials basic(String value) throws RefusedException {
        if (!value.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            throw ProxyUsers.refused("The proxy takes credentials of scheme Basic only.");
        }
        byte[] decoded;
        try {
            decoded =
                    Base64.getDecoder().decode(value.substring(SCHEME.length()).strip());
        } catch (IllegalArgumentException e) {
            throw ProxyUsers.refused("The credentials for the proxy are not Base64.");
        }
        int colon = 0;
        while (colon < decoded.length && decoded[colon] != ':') {
            colon++;
        }
        if (colon == decoded.length) {
            throw ProxyUsers.refused("The credentials for the proxy have no colon.");
        }
        return new ProxyCredentials(
                new String(decoded, 0, colon, StandardCharsets.UTF_8),
                Arrays.copyOfRange(decoded, colon + 1, decoded.length));
    }
}
