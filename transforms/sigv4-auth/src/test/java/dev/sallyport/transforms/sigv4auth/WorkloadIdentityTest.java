package dev.sallyport.transforms.sigv4auth;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TransformHarness;
import dev.sallyport.testkit.VirtualTime;
import dev.sallyport.transforms.sigv4auth.WorkloadIdentity.Identity;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Credentials of the SDK's chain. */
@Timeout(60)
class WorkloadIdentityTest {

    private static final TestRequest REQUEST =
            Workload.signed(TestRequest.get("https://sqs.eu-west-1.amazonaws.com/123/queue"), "sqs", "");

    @TempDir
    Path folder;

    private static TransformHarness.Builder harness(String provider) {
        return TransformHarness.of("""
                transforms:
                  - name: sigv4_auth
                    config:
                      credentials_provider: %s
                      rules: [{host: "*.amazonaws.com"}]
                """.formatted(provider));
    }

    @Test
    void requestsAreSignedWithWhatTheChainFinds() {
        try (SdkSettings settings = new SdkSettings().withCredentials();
                TransformHarness harness = harness("{type: workload_identity}").start()) {
            ExchangeResult result = harness.send(REQUEST);
            Workload.verifier(harness.time().clock(), true).verify(result.sent());
            assertThat(result).doesNotShow(Workload.KEY_ID).doesNotShow(Workload.TOKEN);
        }
    }

    @Test
    void chainThatFindsNothingIsAConfigurationError() {
        try (SdkSettings settings = new SdkSettings()) {
            for (String provider :
                    new String[] {"{type: workload_identity}", "{type: workload_identity, region: eu-west-1}"}) {
                assertThat(harness(provider).problems())
                        .singleElement()
                        .extracting(ConfigProblem::pointer, ConfigProblem::message)
                        .containsExactly(
                                "/transforms/0/config/credentials_provider", "the AWS SDK finds no credentials");
            }
        }
    }

    @Test
    void webIdentityTokenIsExchangedInTheConfiguredRegion() throws Exception {
        BlockingQueue<String> asked = new LinkedBlockingQueue<>();
        HttpServer sts = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        sts.createContext("/", exchange -> {
            asked.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            byte[] answer = assumed(Instant.now().plus(Duration.ofDays(3650))).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        sts.start();
        Path token = Files.writeString(folder.resolve("token"), "web-identity-token");
        try (SdkSettings settings = new SdkSettings()) {
            settings.set("aws.roleArn", "arn:aws:iam::123456789012:role/proxy")
                    .set("aws.webIdentityTokenFile", token.toString())
                    .set(
                            "aws.endpointUrlSts",
                            "http://127.0.0.1:" + sts.getAddress().getPort());
            try (TransformHarness harness =
                    harness("{type: workload_identity, region: eu-west-1}").start()) {
                ExchangeResult result = harness.send(REQUEST);
                Workload.verifier(harness.time().clock(), true).verify(result.sent());
            }
            assertThat(asked)
                    .singleElement()
                    .asString()
                    .contains("Action=AssumeRoleWithWebIdentity", "WebIdentityToken=web-identity-token");
        } finally {
            sts.stop(0);
        }
    }

    private static String assumed(Instant expires) {
        return """
                <AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
                  <AssumeRoleWithWebIdentityResult>
                    <Credentials>
                      <AccessKeyId>%s</AccessKeyId>
                      <SecretAccessKey>%s</SecretAccessKey>
                      <SessionToken>%s</SessionToken>
                      <Expiration>%s</Expiration>
                    </Credentials>
                  </AssumeRoleWithWebIdentityResult>
                </AssumeRoleWithWebIdentityResponse>
                """.formatted(Workload.KEY_ID, Workload.SECRET, Workload.TOKEN, expires);
    }

    /** A chain that says what a test lets it say, and when it was asked. */
    private static final class Script implements WorkloadIdentity.Chain {

        private final BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
        private final Semaphore exhausted = new Semaphore(0);
        private final BlockingQueue<Thread> closed = new LinkedBlockingQueue<>();

        /** @param identity null for nothing */
        record Answer(Identity identity) {}

        void say(Identity identity) {
            answers.add(new Answer(identity));
        }

        @Override
        public Identity find() {
            if (answers.isEmpty()) {
                exhausted.release();
            }
            try {
                return answers.take().identity();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void close() {
            closed.add(Thread.currentThread());
        }
    }

    private static Identity identity(String secret, Instant expires) {
        return Identity.of("AKIDEXAMPLE", secret, "token", expires);
    }

    /** Lets minutes pass until something comes of it: a look is left out while the one before has not ended. */
    private static void look(VirtualTime time, BooleanSupplier until) {
        boolean seen = until.getAsBoolean();
        while (!seen) {
            time.advance(Duration.ofMinutes(1));
            long patience = System.nanoTime() + Duration.ofMillis(100).toNanos();
            while (!seen && System.nanoTime() < patience) {
                Thread.onSpinWait();
                seen = until.getAsBoolean();
            }
        }
    }

    @Test
    void credentialsAreRenewedInTheBackgroundAndEndWhenTheyExpire() throws Exception {
        VirtualTime time = new VirtualTime();
        Instant begin = time.clock().instant();
        Script chain = new Script();
        Semaphore warnings = new Semaphore(0);
        try (WorkloadIdentity identity =
                new WorkloadIdentity(chain, time.clock(), time.scheduler(), warnings::release)) {
            assertThat(identity.current()).isNull();

            chain.say(identity("one", begin.plusSeconds(100_000)));
            look(time, () -> identity.current() != null);
            Keys one = identity.current();

            chain.say(identity("two", begin.plusSeconds(100_000)));
            look(time, () -> identity.current() != one);
            Keys two = identity.current();
            assertThat(two).isNotNull().isNotSameAs(one);

            chain.say(null);
            chain.say(null);
            look(time, () -> warnings.tryAcquire());
            look(time, () -> chain.exhausted.tryAcquire());
            time.advance(Duration.between(time.clock().instant(), begin.plusSeconds(99_999)));
            assertThat(identity.current()).isSameAs(two);
            time.advance(Duration.ofSeconds(1));
            assertThat(identity.current()).isNull();
            assertThat(warnings.availablePermits()).isZero();
        }
        assertThat(chain.closed.take()).isSameAs(Thread.currentThread());
    }

    @Test
    void keysThatWereDerivedStayWhileTheCredentialsAreTheSame() {
        Identity one = identity("one", null);
        Identity again = identity("one", Instant.MAX);
        VirtualTime time = new VirtualTime();
        Script chain = new Script();
        try (WorkloadIdentity identity = new WorkloadIdentity(chain, time.clock(), time.scheduler(), () -> {})) {
            chain.say(one);
            look(time, () -> identity.current() != null);
            chain.say(again);
            chain.say(identity("three", null));
            look(time, () -> chain.answers.size() < 2);
            assertThat(identity.current()).isSameAs(one.keys());
            assertThat(again.toString()).doesNotContain("one", "token");
        }
    }
}
