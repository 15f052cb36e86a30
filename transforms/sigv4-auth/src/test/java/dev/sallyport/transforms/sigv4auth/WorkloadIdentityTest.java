package dev.sallyport.transforms.sigv4auth;

import static dev.sallyport.testkit.ExchangeAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TransformHarness;
import dev.sallyport.testkit.VirtualTime;
import dev.sallyport.transforms.sigv4auth.WorkloadIdentity.Identity;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Credentials of the SDK's chain. */
@Timeout(60)
class WorkloadIdentityTest {

    private static final TestRequest REQUEST =
            Workload.signed(TestRequest.get("https://sqs.eu-west-1.amazonaws.com/123/queue"), "sqs", "");

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
        Awaitility.await().until(() -> {
            boolean seen = until.getAsBoolean();
            if (!seen) {
                time.advance(Duration.ofMinutes(1));
            }
            return seen;
        });
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
