package dev.sallyport.it.control;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * A process for a machine of its own: gate and control plane at port 8090, for guests of the sandboxd whose socket is in its
 * folder, and origins at 10.99.2.1 and 10.99.2.2, port 80. Ends with its input.
 */
public final class SandboxMachine {

    /** Works until its repository has a branch {@code go}. */
    private static final String PATIENT =
            "echo begun; until git ls-remote --exit-code origin go; do sleep 0.2; done; echo made > made.txt";

    /** Of guests, by driver: a virtual machine has a kernel of its own. */
    private static final Map<String, String> SIZES = Map.of(
            "oci", "{memory: 128MiB, disk: 64MiB, processes: 64}",
            "qemu", "{memory: 256MiB, disk: 256MiB, processes: 128}");

    private SandboxMachine() {}

    /** @param arguments the folder, and the driver */
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        origin("10.99.2.1");
        origin("10.99.2.2");
        Path cert = folder.resolve("ca.pem");
        Path key = folder.resolve("ca.key");
        if (!Files.exists(key)) {
            CertificateAuthority.generate("test", Duration.ofDays(1)).write(cert, key);
        }
        try (EgressProxy proxy = EgressProxy.builder()
                .catalog(ControlSite.catalog())
                .environment(Map.of())
                .loops(2)
                .configText("machine.yaml", """
                        dns: {enabled: false}
                        metrics: {listen: disabled}
                        proxy:
                          http_listen: ":10080"
                          https_listen: disabled
                          transparent: redirect
                          upstream_deny_cidrs: []
                        tls:
                          ca_cert: %s
                          ca_key: %s
                        control:
                          listen: "127.0.0.1:8090"
                          state_dir: %s
                          %s
                          sandboxes:
                            driver: %s
                            socket: %s
                            image: test
                            size: %s
                            agents:
                              push: true
                              harnesses:
                                - {name: patient, command: [sh, -c, "%s"]}
                        """.formatted(
                                cert,
                                key,
                                folder.resolve("state"),
                                ControlSite.NO_LIMITS,
                                arguments[1],
                                folder.resolve("s"),
                                SIZES.get(arguments[1]),
                                PATIENT))
                .build()) {
            proxy.start();
            System.out.println("the machine stands");
            while (System.in.read() >= 0) {
                // Until the test ends.
            }
        }
    }

    private static void origin(String address) throws IOException {
        ServerSocket server = new ServerSocket(80, 50, InetAddress.getAllByName(address)[0]);
        Thread.ofVirtual().start(() -> {
            while (true) {
                try {
                    Socket socket = server.accept();
                    Thread.ofVirtual().start(() -> answer(socket, address));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        });
    }

    private static void answer(Socket socket, String address) {
        try (Wire wire = new Wire(socket)) {
            wire.readHead();
            wire.send(TestOrigin.ok("world at " + address));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
