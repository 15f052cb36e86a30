package dev.sallyport.it.control;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestDnsServer;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;

/**
 * A process for a machine of its own: gate and control plane at port 8090, for guests of the sandboxd whose socket is in its
 * folder, and two origins with names. Ends with its input.
 */
public final class SandboxMachine {

    /** The file that tells what origins and the name server were asked. */
    static final String WORLD = "world.log";

    /** At 10.99.2.1. */
    static final String API = "api.example.test";

    /** At 10.99.2.2. */
    static final String OTHER = "other.example.test";

    /** Works until its repository has a branch {@code go}. */
    private static final String PATIENT =
            "echo begun; until git ls-remote --exit-code origin go; do sleep 0.2; done; echo made > made.txt";

    /** Of guests, by driver: a virtual machine has a kernel of its own. */
    private static final Map<String, String> SIZES = Map.of(
            "oci", "{memory: 128MiB, disk: 64MiB, processes: 64}",
            "qemu", "{memory: 256MiB, disk: 256MiB, processes: 128}");

    /** How long they may boot: a virtual machine that is translated takes a minute beside other work. */
    private static final Map<String, String> BOOTS = Map.of("oci", "60s", "qemu", "300s");

    private SandboxMachine() {}

    /** @param arguments the folder, and the driver */
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        PrintStream log = new PrintStream(
                new FileOutputStream(folder.resolve(WORLD).toFile(), true), true, StandardCharsets.UTF_8);
        TestCertificates certificates =
                new TestCertificates(Files.createDirectories(folder.resolve("world")), API, OTHER);
        ScenarioOrigin.open("10.99.2.1", certificates.origin, log);
        ScenarioOrigin.open("10.99.2.2", certificates.origin, log);
        TestDnsServer names = new TestDnsServer().address(API, "10.99.2.1", 1).address(OTHER, "10.99.2.2", 1);
        for (String address : List.of("127.0.0.1", "169.254.169.254", "10.77.0.1", "10.77.0.2", "10.99.2.3")) {
            names.address("at-" + address.replace('.', '-') + ".test", address, 1);
        }
        Thread.ofVirtual().start(() -> tell(names.asked, log));
        Path cert = folder.resolve("ca.pem");
        Path key = folder.resolve("ca.key");
        if (!Files.exists(key)) {
            CertificateAuthority.generate("test", Duration.ofDays(1)).write(cert, key);
        }
        try (EgressProxy proxy = EgressProxy.builder()
                .catalog(ControlSite.catalog())
                .environment(Map.of("MANAGEMENT_KEY", "s3cr3t"))
                .loops(2)
                .configText("machine.yaml", """
                        dns: {listen: ":10053", proxy_ip: 10.77.0.1, upstream_resolver: "%s"}
                        metrics: {listen: disabled}
                        management: {listen: "10.99.2.3:9092", api_key_env: MANAGEMENT_KEY}
                        proxy:
                          http_listen: ":10080"
                          https_listen: disabled
                          transparent: redirect
                        tls:
                          ca_cert: %s
                          ca_key: %s
                          upstream_ca: %s
                        control:
                          listen: "127.0.0.1:8090"
                          state_dir: %s
                          %s
                          sandboxes:
                            driver: %s
                            socket: %s
                            image: test
                            size: %s
                            boot_timeout: %s
                            agents:
                              push: true
                              harnesses:
                                - {name: patient, command: [sh, -c, "%s"]}
                        """.formatted(
                        names.address().getHostString() + ":" + names.address().getPort(),
                        cert,
                        key,
                        certificates.originPem,
                        folder.resolve("state"),
                        ControlSite.NO_LIMITS,
                        arguments[1],
                        folder.resolve("s"),
                        SIZES.get(arguments[1]),
                        BOOTS.get(arguments[1]),
                        PATIENT))
                .build()) {
            proxy.start();
            System.out.println("the machine stands");
            while (System.in.read() >= 0) {
                // Until the test ends.
            }
        }
    }

    /** Prints the names that the gate asks for, one a line. */
    private static void tell(Queue<String> asked, PrintStream log) {
        while (true) {
            String question = asked.poll();
            if (question == null) {
                LockSupport.parkNanos(1_000_000);
            } else {
                log.println("asked: " + question);
            }
        }
    }
}
