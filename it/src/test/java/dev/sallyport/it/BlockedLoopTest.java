package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.spi.Admission;
import dev.sallyport.spi.Buffered;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConnectContext;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.RequestStep;
import dev.sallyport.spi.ResponseDecision;
import dev.sallyport.spi.ResponseStep;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Inline code that blocks its event loop: it is held to its deadline, named, counted, and does not stop the end. */
@Timeout(60)
class BlockedLoopTest {

    private static final Duration DEADLINE = Duration.ofMillis(20);

    @TempDir
    Path folder;

    private final CountDownLatch forwarded = new CountDownLatch(1);

    private TestOrigin origin() throws Exception {
        return TestOrigin.of(peer -> {
            while (true) {
                peer.readHead();
                forwarded.countDown();
                peer.send(TestOrigin.ok("hello"));
            }
        });
    }

    /** Not shorter than this, by the clock that deadlines go by. */
    private static void block() {
        long begin = System.nanoTime();
        while (System.nanoTime() - begin <= 2 * DEADLINE.toNanos()) {
            Thread.onSpinWait();
        }
    }

    private static Capabilities.Builder hasty() {
        return Capabilities.builder().reads(Part.values()).writes(Part.values()).deadline(DEADLINE);
    }

    private void refuses(Capabilities capabilities, InlineTransform transform) throws Exception {
        try (TestOrigin origin = origin();
                TestProxy proxy = TestProxy.builder(folder)
                        .transform("slow", capabilities, transform)
                        .start()) {
            assertThat(proxy.get(origin, "/").status()).isEqualTo(503);
            assertThat(proxy.record().get("error").asText()).contains("transform_timeout");
        }
    }

    @Test
    void aVerdictAfterItsDeadlineRefuses() throws Exception {
        refuses(hasty().build(), request -> {
            block();
            return Decision.proceed();
        });
        assertThat(forwarded.getCount()).isEqualTo(1);
    }

    @Test
    void soDoesAStepAboutTheBody() throws Exception {
        refuses(
                hasty().build(),
                request -> Decision.read(Buffered.whole(), (RequestStep.Inline) read -> {
                    block();
                    return Decision.proceed();
                }));
        assertThat(forwarded.getCount()).isEqualTo(1);
    }

    @Test
    void soDoesWhoAsksForTheBodyTooLate() throws Exception {
        refuses(hasty().build(), request -> {
            block();
            return Decision.read(Buffered.whole(), (RequestStep.Inline) read -> Decision.proceed());
        });
    }

    @Test
    void soDoesAResponseStep() throws Exception {
        refuses(
                hasty().build(),
                request -> Decision.proceed(dev.sallyport.spi.Edits.none(), (ResponseStep.Inline) response -> {
                    block();
                    return ResponseDecision.proceed();
                }));
    }

    @Test
    void soDoesAnAsynchronousStepThatBeginsTooLate() throws Exception {
        try (TestOrigin origin = origin();
                TestProxy proxy = TestProxy.builder(folder)
                        .transform("slow", hasty().build(), request -> {
                            block();
                            return CompletableFuture.completedFuture(Decision.proceed());
                        })
                        .start()) {
            assertThat(proxy.get(origin, "/").status()).isEqualTo(503);
            assertThat(proxy.record().get("error").asText()).contains("transform_timeout");
        }
    }

    @Test
    void aTunnelDoesNotOpenAfterTheDeadline() throws Exception {
        InlineTransform slow = new InlineTransform() {
            @Override
            public Admission onConnect(ConnectContext context) {
                block();
                return Admission.pass();
            }

            @Override
            public Decision decide(RequestContext context) {
                return Decision.proceed();
            }
        };
        try (TestProxy proxy = TestProxy.builder(folder)
                        .transform("slow", hasty().build(), slow)
                        .start();
                Wire client = proxy.tunnel()) {
            assertThat(client.send("CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n")
                            .message()
                            .status())
                    .isEqualTo(503);
        }
    }

    /**
     * docs/design.md, section 1, law 1: a stage that only observes never rejects. The next stage has its whole time.
     */
    @Test
    void anObserverThatIsLateIsPassedOver() throws Exception {
        try (TestOrigin origin = origin();
                TestProxy proxy = TestProxy.builder(folder)
                        .transform("watcher", hasty().observer().build(), (InlineTransform) request -> {
                            block();
                            return Decision.proceed();
                        })
                        .transform(
                                "quick",
                                hasty().deadline(Duration.ofSeconds(30)).build(),
                                (InlineTransform) request -> Decision.proceed())
                        .start()) {
            assertThat(proxy.get(origin, "/").status()).isEqualTo(200);
            assertThat(proxy.record().toString()).contains("no decision within its deadline");
        }
    }

    /** A body that comes slowly is not the fault of who waits for it. */
    @Test
    void waitingForABodyDoesNotCount() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        try (TestOrigin origin = TestOrigin.of(peer -> {
                    peer.readHead();
                    peer.send(TestOrigin.ok("hello"));
                });
                TestProxy proxy = TestProxy.builder(folder)
                        .transform(
                                "reader",
                                hasty().deadline(Duration.ofSeconds(1)).build(),
                                (InlineTransform) request -> {
                                    asked.countDown();
                                    return Decision.read(
                                            Buffered.whole(), (RequestStep.Inline) read -> Decision.proceed());
                                })
                        .start();
                Wire client = proxy.http()) {
            client.send("POST / HTTP/1.1\r\nHost: " + origin.authority() + "\r\nContent-Length: 1\r\n\r\n");
            assertThat(asked.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
            long begin = System.nanoTime();
            await().until(() ->
                    System.nanoTime() - begin > Duration.ofMillis(1100).toNanos());
            assertThat(client.send("x").message().status()).isEqualTo(200);
        }
    }

    @Test
    @Tag("long")
    void aBlockedLoopIsCountedAndItsTransformInterruptedAtTheEnd() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);
        CountDownLatch entered = new CountDownLatch(1);
        EgressProxy proxy = TestProxy.builder(folder)
                .loops(1)
                .proxyLines("upstream_deny_cidrs: []", "limits: {drain_timeout: 1s}")
                .transform("sleeper", hasty().build(), (InlineTransform) request -> {
                    entered.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        interrupted.countDown();
                    }
                    return Decision.proceed();
                })
                .build();
        proxy.start();
        try (Wire client = new Wire(new java.net.Socket(
                proxy.httpAddress().getAddress(), proxy.httpAddress().getPort()))) {
            client.send("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n");
            assertThat(entered.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
            await().atMost(Patience.usual()).until(() -> proxy.count("sallyport.loop.blocked", "sleeper") >= 1);

            // when
            proxy.close();

            // then
            assertThat(interrupted.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(proxy.endedHard()).isFalse();
        }
    }

    /** Nothing ends it: the thread stays, but whoever closes the proxy gets on. */
    @Tag("long")
    @Test
    void anEndlessLoopDoesNotKeepTheProxyFromClosing() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        EgressProxy proxy = TestProxy.builder(folder)
                .proxyLines("upstream_deny_cidrs: []", "limits: {drain_timeout: 1s}")
                .transform("endless", hasty().build(), (InlineTransform) request -> {
                    entered.countDown();
                    while (release.getCount() > 0) {
                        Thread.onSpinWait();
                    }
                    return Decision.proceed();
                })
                .build();
        proxy.start();
        try (Wire client = new Wire(new java.net.Socket(
                proxy.httpAddress().getAddress(), proxy.httpAddress().getPort()))) {
            client.send("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n");
            assertThat(entered.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();

            // Some 3 s after the drain: what waits for that loop waits shortly, and not one after the other.
            assertTimeout(Patience.seconds(8), proxy::close);

            assertThat(proxy.ready()).isFalse();
            assertThat(proxy.endedHard()).isTrue();
            assertThat(release.getCount()).isEqualTo(1);
        } finally {
            release.countDown();
        }
    }

    /** Loops that stand beside the proxy, such as that of the metrics. */
    @Test
    void loopsOfOthersAreWatchedToo() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        try (TestProxy proxy = TestProxy.builder(folder).start();
                var beside = java.util.concurrent.Executors.newSingleThreadExecutor()) {
            proxy.proxy().watch("beside", beside);
            beside.execute(() -> {
                try {
                    release.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            await().atMost(Patience.usual()).until(() -> proxy.proxy().count("sallyport.loop.blocked", "none") >= 1);
            release.countDown();
        }
    }
}
