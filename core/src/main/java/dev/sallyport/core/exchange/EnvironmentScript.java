package dev.sallyport.core.exchange;

import dev.sallyport.core.workload.Callers;
import dev.sallyport.spi.ListenerKind;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** The shell script that makes a workload's tools trust the proxy, and use it if they are not steered to it. */
final class EnvironmentScript {

    private static final String HEAD = resource("env-head.sh");
    private static final String TRUST = resource("env-ca.sh");
    private static final String WAY = resource("env-proxy.sh");
    private static final String USER = resource("env-user.sh");

    private final String always;

    /** @param pem the authority to trust; empty when there is none */
    EnvironmentScript(String pem) {
        always = pem.isEmpty() ? HEAD : HEAD + TRUST.replace("@CA@", pem.strip());
    }

    /**
     * The script for a client of this connection: clients of the tunnel listener need proxy settings, others are
     * steered. A client that authenticated also learns how to pass its credentials; the password is not repeated.
     */
    String forClient(ConnectionInfo connection) {
        if (connection.listener() != ListenerKind.TUNNEL) {
            return always;
        }
        String way = always + WAY.replace("@PROXY@", authority(connection.local()));
        String user = Callers.userOf(connection.principal());
        return user.isEmpty() ? way : way + USER.replace("@USER@", encoded(user));
    }

    /** Encodes a part of a URL, without characters that are special to a shell. */
    private static String encoded(String user) {
        return URLEncoder.encode(user, StandardCharsets.UTF_8).replace("+", "%20");
    }

    static String authority(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        int zone = host.indexOf('%');
        String text = zone < 0 ? host : host.substring(0, zone);
        return (text.indexOf(':') < 0 ? text : "[" + text + "]") + ":" + address.getPort();
    }

    private static String resource(String name) {
        try (InputStream in = EnvironmentScript.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("missing resource " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
