package dev.sallyport.ctl.context;

import dev.sallyport.ctl.problem.Problem;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The address of a control plane, in one spelling. */
public final class ServerUrl {

    private ServerUrl() {}

    /**
     * Reads an address.
     *
     * @param origin where it was written, for errors; these do not repeat it, since it may hold a password
     */
    public static URI parse(String text, String origin) throws Problem {
        URI uri = tolerant(text.strip());
        String scheme =
                uri == null || uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
        if (uri == null
                || !Set.of("http", "https").contains(scheme)
                || uri.getHost() == null
                || uri.getRawUserInfo() != null
                || uri.getRawQuery() != null
                || uri.getRawFragment() != null) {
            throw Problem.usage(origin + " is not the address of a control plane (expected: such as "
                    + "https://control.example.com, without user, query and fragment)");
        }
        boolean usual = uri.getPort() < 0 || uri.getPort() == (scheme.equals("https") ? 443 : 80);
        String path = uri.getRawPath().replaceFirst("/+$", "");
        return URI.create(
                scheme + "://" + uri.getHost().toLowerCase(Locale.ROOT) + (usual ? "" : ":" + uri.getPort()) + path);
    }

    private static @Nullable URI tolerant(String text) {
        try {
            return new URI(text);
        } catch (URISyntaxException e) {
            return null;
        }
    }

    /** Whether what is sent there can be read on the way: HTTP without TLS, to another machine. */
    public static boolean isExposed(URI server) {
        String host = server.getHost();
        boolean loopback = host.equals("localhost")
                || host.equals("[::1]")
                || host.matches("127\\.[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}");
        return server.getScheme().equals("http") && !loopback;
    }
}
