package dev.sallyport.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.audit.AuditSink;
import dev.sallyport.core.tls.CertificateAuthority;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import me.normanmaurer.maven.autobahntestsuite.AutobahnTestSuite;
import me.normanmaurer.maven.autobahntestsuite.FuzzingCaseResult;
import org.python.util.PythonInterpreter;

/**
 * The fuzzing client of Autobahn's WebSocket test suite, through the proxy to a server that sends everything back. The
 * client knows of no proxy: its connections are led to {@code http_listen}, as a kernel or a DNS server would do it. It
 * can run once in the life of a JVM.
 */
final class Autobahn {

    private static final Set<String> GOOD = Set.of("OK", "NON_STRICT", "INFORMATIONAL");
    private static final Set<String> STRICT = Set.of("OK", "INFORMATIONAL");

    private Autobahn() {}

    /** Runs all cases; counts them on standard output. */
    static void run(String agent, Path folder, boolean strict, EgressProxy.Builder settings) throws Exception {
        try (EchoServer server = new EchoServer();
                EgressProxy proxy = configure(settings, folder).build()) {
            proxy.start();
            redirect(Objects.requireNonNull(proxy.httpAddress()).getPort());
            List<FuzzingCaseResult> results = AutobahnTestSuite.runFuzzingClient(
                    agent, "ws://127.0.0.1:" + server.port(), Map.of("version", 18), List.of("*"), List.of());
            Map<String, Integer> counts = new TreeMap<>();
            for (FuzzingCaseResult result : results) {
                counts.merge(String.valueOf(result.behavior()), 1, Integer::sum);
            }
            System.out.println("Autobahn (" + agent + "): " + results.size() + " cases: " + counts);

            assertThat(results).hasSizeGreaterThan(500);
            assertThat(results)
                    .allSatisfy(result -> assertThat(String.valueOf(result.behavior()))
                            .as(result.toString())
                            .isIn(strict ? STRICT : GOOD));
        }
    }

    private static EgressProxy.Builder configure(EgressProxy.Builder settings, Path folder) throws Exception {
        Path cert = folder.resolve("ca.pem");
        Path key = folder.resolve("ca.key");
        CertificateAuthority.generate("Test CA", Duration.ofDays(1)).write(cert, key);
        return settings.configText("test.yaml", """
                        dns: {enabled: false}
                        metrics: {listen: disabled}
                        proxy:
                          http_listen: 127.0.0.1:0
                          https_listen: disabled
                          tunnel_listen: disabled
                          upstream_deny_cidrs: []
                          max_request_body_bytes: 33554432
                          max_response_body_bytes: 33554432
                        tls: {ca_cert: %s, ca_key: %s}
                        """.formatted(cert, key)).auditSink(new Nowhere());
    }

    private static void redirect(int port) {
        try (PythonInterpreter python = new PythonInterpreter()) {
            python.exec("""
                    from twisted.internet import reactor
                    connect = reactor.connectTCP
                    def redirected(host, port, *args, **options):
                        return connect('127.0.0.1', %d, *args, **options)
                    reactor.connectTCP = redirected
                    """.formatted(port));
        }
    }

    private static final class Nowhere implements AuditSink {

        @Override
        public void write(ByteBuffer lines) {
            lines.position(lines.limit());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
