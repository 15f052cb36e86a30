package dev.sallyport.it;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.Rule;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;

/**
 * A process for a network namespace of its own: a proxy for redirected connections on ports 18080 and 18443, and origins
 * on loopback ports that answer with the port and the request line. Prints audit records; ends with its input.
 */
public final class TransparentHost {

    /** The address at which the server speaks first, on the ports of plain HTTP. */
    static final String SERVER_FIRST = "10.99.2.2";

    private static final Capabilities POLICY = Capabilities.builder()
            .writes(Part.REQUEST_HEADERS)
            .admits(List.of(Rule.host("*")))
            .relays(List.of(Rule.cidr(SERVER_FIRST + "/32")))
            .build();

    private TransparentHost() {}

    /** @param arguments a folder, and the value of {@code proxy.transparent} */
    public static void main(String[] arguments) throws Exception {
        TestCertificates certificates = new TestCertificates(Path.of(arguments[0]));
        for (int port : new int[] {80, 8080}) {
            origin(null, port);
        }
        for (int port : new int[] {443, 9443}) {
            origin(certificates.origin, port);
        }
        try (EgressProxy proxy = EgressProxy.builder()
                .catalog(PluginCatalog.of(List.of(), List.of()))
                .environment(Map.of())
                .loops(2)
                .auditSink(AuditSinks.stdout())
                .configText("transparent.yaml", """
                        dns: {enabled: false}
                        metrics: {listen: disabled}
                        proxy:
                          http_listen: ":18080"
                          https_listen: ":18443"
                          transparent: %s
                          upstream_deny_cidrs: []
                        tls:
                          ca_cert: %s
                          ca_key: %s
                          upstream_ca: %s
                        """.formatted(
                                arguments[1], certificates.caCert, certificates.caKey, certificates.originPem))
                .transform("policy", POLICY, (InlineTransform)
                        request -> request.head().path().startsWith("/denied")
                                ? Decision.reject(403, "no_entry", "Not this path.")
                                : Decision.proceed(Edits.builder()
                                        .setHeader(
                                                "X-Saw", request.destination().toString())
                                        .build()))
                .build()) {
            proxy.start();
            say("ready");
            while (System.in.read() >= 0) {
                // Until the test ends.
            }
        }
    }

    private static void say(String line) {
        System.out.write((line + "\n").getBytes(StandardCharsets.UTF_8), 0, line.length() + 1);
        System.out.flush();
    }

    private static void origin(SSLContext tls, int port) throws IOException {
        ServerSocket server = new ServerSocket(port, 50, InetAddress.getByName("::"));
        Thread.ofVirtual().start(() -> {
            while (true) {
                try {
                    Socket socket = server.accept();
                    Thread.ofVirtual().start(() -> serve(tls, socket));
                } catch (IOException e) {
                    return;
                }
            }
        });
    }

    private static void serve(SSLContext tls, Socket plain) {
        try (plain) {
            Socket socket = plain;
            if (tls != null) {
                SSLSocket secured = (SSLSocket) tls.getSocketFactory().createSocket(plain, null, plain.getPort(), true);
                secured.setUseClientMode(false);
                socket = secured;
            }
            try (Wire wire = new Wire(socket)) {
                if (plain.getLocalAddress().getHostAddress().endsWith(SERVER_FIRST)) {
                    wire.send("220 first\r\n");
                    wire.send("250 " + wire.readLine() + "\r\n");
                    return;
                }
                while (true) {
                    List<String> head = wire.readHead().lines().toList();
                    String saw = head.stream()
                            .filter(line -> line.startsWith("X-Saw"))
                            .findFirst()
                            .orElse("-");
                    wire.send(TestOrigin.ok(plain.getLocalPort() + " " + head.getFirst() + " " + saw));
                }
            }
        } catch (SocketException | java.io.EOFException | SSLException e) {
            // The peer hung up.
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
