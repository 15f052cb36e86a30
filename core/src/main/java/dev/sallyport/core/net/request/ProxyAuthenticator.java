package dev.sallyport.core.net.request;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.workload.Callers;
import dev.sallyport.spi.Principal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

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
    private final CallerSelection selection;
    private final @Nullable AuthenticatedUser owner;
    private @Nullable AuthenticatedUser latest;

    /** For a connection whose requests are all of one caller. */
    public ProxyAuthenticator(Supplier<ProxyUsers> users, Ingress ingress, Principal connection) {
        this(users, ingress, user -> connection, null);
    }

    /** @param owner the user that the connection belongs to, because its tunnel does; null for none */
    public ProxyAuthenticator(
            Supplier<ProxyUsers> users, Ingress ingress, CallerSelection selection, @Nullable AuthenticatedUser owner) {
        this.users = users;
        this.ingress = ingress;
        this.selection = selection;
        this.owner = owner;
    }

    /** The user of the request that was identified last; null when it had none. */
    public @Nullable AuthenticatedUser latest() {
        return latest;
    }

    /** @param proxyForm whether the request is a CONNECT or has a target in absolute form */
    public Principal of(boolean proxyForm, HeaderBlock headers) throws RefusedException {
        latest = owner;
        if (ingress.tunnel() != null || !(proxyForm || ingress.opensTunnels())) {
            return selection.as(owner);
        }
        ProxyUsers known = users.get();
        if (!known.asked()) {
            return selection.as(owner);
        }
        int lines = headers.count(FIELD);
        if (lines == 0) {
            if (known.required()) {
                throw ProxyUsers.refused(ProxyUsers.MISSING);
            }
            return selection.as(owner);
        }
        if (lines > 1) {
            throw ProxyUsers.refused("There is more than one Proxy-Authorization.");
        }
        AuthenticatedUser user = known.authenticate(basic(headers.value(headers.indexOf(FIELD, 0))));
        latest = user;
        return selection.as(user);
    }

    /**
     * The caller of a request that is refused for another reason, or because of its credentials.
     *
     * @param proxyForm as for {@link #of}
     */
    public Principal ofRefused(boolean proxyForm, HeaderBlock headers) {
        try {
            return of(proxyForm, headers);
        } catch (RefusedException e) {
            return untold();
        }
    }

    /** The caller of a request whose credentials cannot be read: nobody where they tell callers, and nothing else does. */
    public Principal ofUnreadable() {
        boolean told = ingress.tunnel() != null
                || !ingress.opensTunnels()
                || !users.get().asked();
        return told ? selection.as(owner) : untold();
    }

    /** The workload of the address, or nobody: a caller of no workload is one that shows no credentials, or right ones. */
    private Principal untold() {
        Principal here = selection.as(owner);
        return here.workload().isEmpty() && !Callers.isUntold(here) ? Callers.UNKNOWN : here;
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
