package dev.sallyport.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.conformance.Autobahn.Outcome;
import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.spi.BodyRewriter;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Direction;
import dev.sallyport.spi.Edits;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Part;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * RFC 6455 and 7692 as Autobahn reads them, through the proxy to a server that sends everything back: once past nothing
 * but the relay, which is not to be noticed, and once through rewriters that take every text message apart in both
 * directions and put it together as it was.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AutobahnTest {

    private static final String RELAY = "relay";
    private static final String REWRITE = "rewrite";

    /** Of each kind one: messages, pings, reserved bits, fragments, UTF-8, endings, a large message. */
    private static final List<String> FEW =
            List.of("1.1.2", "1.2.2", "2.2", "2.10", "3.2", "5.3", "5.18", "6.3.1", "7.1.1", "7.5.1", "7.9.2", "9.1.1");

    /** Text that ceases to be UTF-8 within a frame: the server looks at whole frames. */
    private static final Set<String> FAIL_LATE = Set.of("6.4.3", "6.4.4");

    private static final Set<String> STRICT = Set.of("OK", "INFORMATIONAL");
    private static final Set<String> GOOD = Set.of("OK", "INFORMATIONAL", "NON-STRICT");

    private EchoServer server;
    private EgressProxy relay;
    private EgressProxy rewrite;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        server = new EchoServer();
        relay = configure(EgressProxy.builder(), folder, RELAY).build();
        relay.start();
        InlineTransform transform = request -> Decision.proceed(Edits.builder()
                .rewriteMessages(Direction.REQUEST, Same::new)
                .rewriteMessages(Direction.RESPONSE, Same::new)
                .build());
        Capabilities capabilities = Capabilities.builder().writes(Part.MESSAGES).build();
        rewrite = configure(EgressProxy.builder().transform("same", capabilities, transform), folder, REWRITE)
                .build();
        rewrite.start();
    }

    @AfterAll
    void stop() {
        rewrite.close();
        relay.close();
        server.close();
    }

    @Tag("long")
    @Test
    void aFewCasesPass() throws Exception {
        Map<String, List<Outcome>> outcomes = autobahn().run("few", FEW, Map.of(RELAY, relay, REWRITE, rewrite));

        assertThat(outcomes).containsOnlyKeys(RELAY, REWRITE);
        assertThat(outcomes.values()).allSatisfy(results -> assertThat(results).hasSize(FEW.size()));
        good(outcomes.get(RELAY), STRICT);
        good(outcomes.get(REWRITE), GOOD);
    }

    @Test
    @Tag("long")
    void everyCasePassesTheRelay() throws Exception {
        List<Outcome> outcomes = every(RELAY, relay);

        good(outcomes, GOOD);
        assertThat(outcomes)
                .filteredOn(outcome -> !outcome.in(STRICT))
                .extracting(Outcome::id)
                .isSubsetOf(FAIL_LATE);
    }

    @Test
    @Tag("long")
    void everyCasePassesRewriters() throws Exception {
        good(every(REWRITE, rewrite), GOOD);
    }

    private List<Outcome> every(String agent, EgressProxy proxy) throws Exception {
        List<Outcome> outcomes =
                autobahn().run(agent, List.of("*"), Map.of(agent, proxy)).get(agent);
        assertThat(outcomes).hasSizeGreaterThan(300);
        return outcomes;
    }

    private static void good(List<Outcome> outcomes, Set<String> good) {
        System.out.println("Autobahn: " + outcomes.size() + " cases: " + count(outcomes));
        assertThat(outcomes).filteredOn(outcome -> !outcome.in(good)).isEmpty();
    }

    private static Map<String, Long> count(List<Outcome> outcomes) {
        return outcomes.stream()
                .collect(Collectors.groupingBy(
                        outcome -> outcome.behaviour() + "/" + outcome.ending(), TreeMap::new, Collectors.counting()));
    }

    private Autobahn autobahn() {
        return new Autobahn("ws://127.0.0.1:" + server.port());
    }

    private static EgressProxy.Builder configure(EgressProxy.Builder settings, Path folder, String name)
            throws Exception {
        Path cert = folder.resolve(name + ".pem");
        Path key = folder.resolve(name + ".key");
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
                        """.formatted(cert, key)).auditSink(AuditSinks.none());
    }

    private static final class Same implements BodyRewriter {

        @Override
        public void write(ByteBuffer in, Sink out) {
            out.write(in);
        }

        @Override
        public void end(Sink out) {}
    }
}
