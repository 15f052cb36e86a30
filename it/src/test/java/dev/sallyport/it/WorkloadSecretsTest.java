package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.core.PipelineSpec;
import dev.sallyport.core.PipelineUpdate;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.SecretValue;
import dev.sallyport.spi.SourceContext;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Secrets that are delivered, replaced and deleted while requests need them (docs/spec/decisions.md, section 16). */
@Timeout(120)
class WorkloadSecretsTest {

    @TempDir
    Path folder;

    private static PipelineUpdate.Builder job(String host) {
        PipelineUpdate.Builder update = PipelineUpdate.builder()
                .upsert(Tenants.user("job")
                        .pipeline(Tenants.pipeline("job", host))
                        .build());
        return Tenants.secret(update, "job");
    }

    private static String request(String authority) {
        return "GET http://" + authority + "/ HTTP/1.1\r\nHost: " + authority + "\r\nX-Key: " + Tenants.PLACEHOLDER
                + "\r\n" + Tenants.as("job") + "\r\n\r\n";
    }

    /** Its handshake ends when the test says so. */
    private static void letThrough(Wire socks) throws Exception {
        socks.send(new byte[] {5, 0});
        int kind = socks.read(4).charAt(3);
        socks.read(kind == 1 ? 4 : socks.read(1).charAt(0));
        socks.read(2);
        socks.send(new byte[] {5, 0, 0, 1, 0, 0, 0, 0, 0, 0});
    }

    @Test
    void aRequestThatWaitsForItsConnectionSendsNoSecretThatIsDeletedMeanwhile() throws Exception {
        Wire origin;
        try (ServerSocket parent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                TestProxy proxy = TestProxy.builder(folder)
                        .catalog(Tenants.catalog())
                        .proxyLines(
                                "upstream_deny_cidrs: []",
                                "upstream_proxy:",
                                "  http_proxy: \"socks5://localhost:" + parent.getLocalPort() + "\"")
                        .sections("transforms: []\n")
                        .start();
                Wire client = proxy.tunnel()) {
            Tenants.applyAll(proxy, job("127.0.0.1"));
            client.send(request("127.0.0.1:8"));
            origin = new Wire(parent.accept());
            origin.read(origin.read(2).charAt(1));

            // when
            Tenants.applyAll(proxy, PipelineUpdate.builder().removeSecret("job"));

            // then
            Wire.Message refused = client.message();
            assertThat(refused.status()).isEqualTo(403);
            assertThat(refused.body()).contains("secret_unavailable");
            JsonNode record = proxy.record();
            assertThat(record.at("/audit/action").asText()).isEqualTo("reject");
            assertThat(record.at("/rejected_by").asText()).isEqualTo("secrets");
        }
        try (origin) {
            assertThat(origin.readToEnd()).as("what the parent got").isEmpty();
        } catch (SocketException e) {
            assertThat(e).hasMessageContaining("reset");
        }
    }

    /** It may come back; until then, those who need it are told why it is gone. */
    @Test
    void aSecretThatWasWithdrawnSaysWhyUntilItComesBack() throws Exception {
        try (TestOrigin origin = TestOrigin.handling(request -> TestOrigin.ok("ok"));
                TestProxy proxy = TestProxy.builder(folder)
                        .catalog(Tenants.catalog())
                        .sections("transforms: []\n")
                        .start();
                Wire client = proxy.tunnel()) {
            Tenants.applyAll(proxy, job("127.0.0.1"));

            Tenants.applyAll(proxy, PipelineUpdate.builder().withdrawSecret("job", "it was not confirmed"));
            Wire.Message refused = client.send(request(origin.authority())).message();
            assertThat(refused.status()).isEqualTo(403);
            assertThat(refused.body()).contains("secret_unavailable", "not available: it was not confirmed.");

            Tenants.applyAll(proxy, Tenants.secret(PipelineUpdate.builder(), "job"));
            assertThat(client.send(request(origin.authority())).message().status())
                    .as("of the same version as before")
                    .isEqualTo(200);

            Tenants.applyAll(proxy, PipelineUpdate.builder().removeSecret("job"));
            assertThat(client.send(request(origin.authority())).message().body())
                    .contains("not available.");
        }
    }

    @Test
    void aRequestThatWaitsForItsConnectionSendsTheValueThatIsReplacedMeanwhile() throws Exception {
        try (ServerSocket parent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                TestProxy proxy = TestProxy.builder(folder)
                        .catalog(Tenants.catalog())
                        .proxyLines(
                                "upstream_deny_cidrs: []",
                                "upstream_proxy:",
                                "  http_proxy: \"socks5://localhost:" + parent.getLocalPort() + "\"")
                        .sections("transforms: []\n")
                        .start();
                Wire client = proxy.tunnel()) {
            Tenants.applyAll(proxy, job("127.0.0.1"));
            client.send(request("127.0.0.1:8"));
            try (Wire origin = new Wire(parent.accept())) {
                origin.read(origin.read(2).charAt(1));
                Tenants.applyAll(
                        proxy, PipelineUpdate.builder().secret("job", "2", SecretValue.of("the-second-value-of-it")));
                letThrough(origin);

                assertThat(Wire.field(origin.readHead(), "X-Key")).isEqualTo(Tenants.value("job"));
                origin.send(TestOrigin.ok("ok"));
                assertThat(client.message().status()).isEqualTo(200);
            }
        }
    }

    /** A source that does something of a test's while a policy is being made. */
    static final class Pause implements SecretSourceFactory<Pause.Config> {

        private final CountDownLatch reached = new CountDownLatch(1);
        private final CountDownLatch over = new CountDownLatch(1);

        record Config(String name) {}

        @Override
        public Descriptor<Config> descriptor() {
            return Descriptor.of("pause", Config.class, "For tests.");
        }

        @Override
        public SecretSource create(Config config, SourceContext context) {
            return new SecretSource() {
                @Override
                public String name() {
                    return config.name();
                }

                @Override
                public SecretValue read() throws InterruptedException {
                    reached.countDown();
                    over.await();
                    return SecretValue.of("a-value-that-took-its-time");
                }
            };
        }
    }

    /** A value must not go where only the former policy lets it go; nor must a new policy lack a value that came with it. */
    @Test
    void anotherValueCountsOnlyOnceThePolicyThatCameWithItIsInForce() throws Exception {
        Pause pause = new Pause();
        List<String> seen = new CopyOnWriteArrayList<>();
        try (TestOrigin origin = TestOrigin.handling(request -> {
                    seen.add(request.field("X-Key"));
                    return TestOrigin.ok("ok");
                });
                TestProxy proxy = TestProxy.builder(folder)
                        .catalog(Tenants.catalog(pause))
                        .sections("transforms: []\n")
                        .start();
                Wire client = proxy.tunnel()) {
            Tenants.applyAll(proxy, job("127.0.0.1"));

            // when: a policy that no longer allows the origin comes with another value, and takes its time
            PipelineSpec narrower = PipelineSpec.of("""
                    transforms:
                      - {name: allowlist, config: {domains: [elsewhere.test]}}
                      - name: secrets
                        config:
                          secrets:
                            - source: {type: control_plane, ref: job}
                              replace: {proxy_value: %s}
                            - source: {type: control_plane, ref: new}
                              replace: {proxy_value: another-placeholder}
                            - source: {type: pause, name: slow}
                              replace: {proxy_value: a-third-placeholder}
                    """.formatted(Tenants.PLACEHOLDER));
            var applied = proxy.proxy()
                    .pipelines()
                    .apply(PipelineUpdate.builder()
                            .upsert(Tenants.user("job").pipeline(narrower).build())
                            .secret("job", "2", SecretValue.of("the-second-value-of-it"))
                            .secret("new", "1", SecretValue.of("a-value-that-was-not-there"))
                            .build())
                    .toCompletableFuture();
            assertThat(pause.reached.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(client.send(request(origin.authority())).message().status())
                    .isEqualTo(200);
            pause.over.countDown();

            // then
            assertThat(applied.get(Patience.SECONDS, TimeUnit.SECONDS).problems())
                    .isEmpty();
            assertThat(client.send(request(origin.authority())).message().status())
                    .isEqualTo(403);
            assertThat(seen).containsExactly(Tenants.value("job"));
        }
    }

    /** A source that no policy can be made with, nor say so. */
    static final class Fault implements SecretSourceFactory<Fault.None> {

        record None() {}

        @Override
        public Descriptor<None> descriptor() {
            return Descriptor.of("fault", None.class, "For tests.");
        }

        @Override
        public SecretSource create(None config, SourceContext context) {
            throw new InternalError("made to fail");
        }
    }

    /** An update whose policy fails. */
    private static void fail(TestProxy proxy, PipelineUpdate.Builder update) {
        PipelineSpec narrower = PipelineSpec.of("""
                transforms:
                  - {name: allowlist, config: {domains: [elsewhere.test]}}
                  - name: secrets
                    config:
                      secrets:
                        - source: {type: control_plane, ref: job}
                          replace: {proxy_value: %s}
                        - source: {type: fault}
                          replace: {proxy_value: another-placeholder}
                """.formatted(Tenants.PLACEHOLDER));
        update.upsert(Tenants.user("job").pipeline(narrower).build());
        assertThatThrownBy(() -> Tenants.apply(proxy, update)).hasRootCauseInstanceOf(InternalError.class);
    }

    /** Where the policies of an update do not come into force, those of before get none of its values, but lose what it deletes. */
    @Test
    void ofAnUpdateWhosePolicyFailsOnlyTheDeletionsCount() throws Exception {
        List<String> seen = new CopyOnWriteArrayList<>();
        try (TestOrigin origin = TestOrigin.handling(request -> {
                    seen.add(request.field("X-Key"));
                    return TestOrigin.ok("ok");
                });
                TestProxy proxy = TestProxy.builder(folder)
                        .catalog(Tenants.catalog(new Fault()))
                        .sections("transforms: []\n")
                        .start();
                Wire client = proxy.tunnel()) {
            Tenants.applyAll(proxy, job("127.0.0.1"));
            SecretValue second = SecretValue.of("the-second-value-of-it");

            fail(proxy, PipelineUpdate.builder().secret("job", "2", second));
            assertThat(client.send(request(origin.authority())).message().status())
                    .isEqualTo(200);
            assertThat(seen).containsExactly(Tenants.value("job"));

            fail(proxy, PipelineUpdate.builder().removeSecret("job"));
            assertThat(client.send(request(origin.authority())).message().body())
                    .contains("secret_unavailable");

            fail(proxy, PipelineUpdate.builder().secret("job", "2", second));
            assertThat(client.send(request(origin.authority())).message().body())
                    .as("of one that was not there, either")
                    .contains("secret_unavailable");

            Tenants.applyAll(proxy, PipelineUpdate.builder().secret("job", "2", second));
            assertThat(client.send(request(origin.authority())).message().status())
                    .isEqualTo(200);
            assertThat(seen).containsExactly(Tenants.value("job"), "the-second-value-of-it");
        }
    }
}
