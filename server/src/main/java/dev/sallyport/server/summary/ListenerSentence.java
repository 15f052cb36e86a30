package dev.sallyport.server.summary;

import dev.sallyport.core.config.ListenAddress;
import dev.sallyport.core.config.ManagementSection;
import dev.sallyport.core.config.ProxyAuth;
import dev.sallyport.core.config.ProxyConfig;
import dev.sallyport.core.config.TlsSection;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Who listens where. Pure functions. */
final class ListenerSentence {

    private static final int MOST_HOSTS = 3;
    private static final Set<String> EVERYWHERE = Set.of("", "0.0.0.0", "::");

    private ListenerSentence() {}

    static String of(ProxyConfig config) {
        List<String> doors = new ArrayList<>();
        add(doors, config.proxy().httpListen(), " (HTTP)");
        add(doors, config.proxy().httpsListen(), " (HTTPS)");
        add(doors, config.proxy().tunnelListen(), " (CONNECT and SOCKS5)");
        List<String> others = new ArrayList<>();
        if (config.dns().enabled()) {
            add(others, config.dns().listen(), "", "answers DNS queries at ");
        }
        add(others, config.metrics().listen(), "", "shows its metrics at ");
        ManagementSection management = config.management();
        add(others, management == null ? null : management.listen(), "", "is managed at ");
        return "Workloads connect to " + Shortened.list(doors, doors.size())
                + password(config.proxy().auth())
                + ", and the proxy "
                + tls(config.tls())
                + (others.isEmpty() ? "" : "; it " + Shortened.list(others, others.size()))
                + ".";
    }

    private static String password(@Nullable ProxyAuth auth) {
        if (auth == null) {
            return "";
        }
        int users = auth.users().size();
        String whose = users == 1 ? "the password of one user" : "the password of one of " + users + " users";
        return (auth.required() ? ", where they need " : ", where they may use ") + whose;
    }

    private static String tls(TlsSection tls) {
        if (tls.mode() == TlsSection.Mode.SNI_ONLY) {
            return "passes their TLS on unread";
        }
        return tls.passthrough().isEmpty()
                ? "reads their TLS"
                : "reads their TLS, except for " + Shortened.list(tls.passthrough(), MOST_HOSTS);
    }

    private static void add(List<String> places, @Nullable ListenAddress address, String after) {
        add(places, address, after, "");
    }

    private static void add(List<String> places, @Nullable ListenAddress address, String after, String before) {
        if (address != null) {
            places.add(before + place(address) + after);
        }
    }

    private static String place(ListenAddress address) {
        String port = address.port() == 0 ? "a free port" : "port " + address.port();
        if (EVERYWHERE.contains(address.host())) {
            return port + " of every interface";
        }
        return address.port() == 0 ? port + " of " + address.host() : address.toString();
    }
}
