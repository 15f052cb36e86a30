package dev.sallyport.control.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.control.TestDatabase;
import dev.sallyport.control.audit.AdminAudit;
import dev.sallyport.control.crypto.Envelope;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Ids;
import dev.sallyport.control.secret.SecretDraft;
import dev.sallyport.control.secret.Secrets;
import dev.sallyport.control.store.ChangeLog;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.StoreSettings;
import dev.sallyport.testsupport.Patience;
import io.opentelemetry.api.OpenTelemetry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Rounds of the feed: what fails for one proxy concerns no other. */
@Timeout(60)
class FanoutTest {

    @TempDir
    Path folder;

    private Store store;
    private Secrets secrets;
    private FeedMeters meters;
    private Fanout fanout;

    @BeforeEach
    void start() throws Exception {
        store = Store.open(new StoreSettings(TestDatabase.url(folder), null, null), Clock.systemUTC());
        store.write(transaction -> transaction
                .sql()
                .execute("insert into organization (id, name, created_at) values ('org_1', 'one', 0)"));
        meters = new FeedMeters(OpenTelemetry.noop());
        Ids ids = new Ids();
        secrets =
                new Secrets(store, ids, new AdminAudit(store, ids), Envelope.of(Envelope.newKey()), Clock.systemUTC());
        fanout = new Fanout(store, new ChangeLog(store), new Accounts(store, secrets), meters);
    }

    @AfterEach
    void close() {
        fanout.close();
        meters.close();
        store.close();
    }

    /** Takes what comes, unless it is told to fail. */
    private static class Proxy implements ProxySession.Receiver {

        final CountDownLatch served = new CountDownLatch(1);
        final CountDownLatch revoked = new CountDownLatch(1);
        private final Supplier<Boolean> unwelcome;

        Proxy(Supplier<Boolean> unwelcome) {
            this.unwelcome = unwelcome;
        }

        @Override
        public void snapshot(ProxySession session, Snapshot snapshot) {
            served.countDown();
        }

        @Override
        public boolean isUnwelcome() {
            return unwelcome.get();
        }

        @Override
        public void revoke() {
            revoked.countDown();
        }
    }

    private static boolean comes(CountDownLatch what) throws InterruptedException {
        return what.await(Patience.SECONDS, TimeUnit.SECONDS);
    }

    private static Optional<Scope> scope() {
        return Optional.of(new Scope("org_1", List.of()));
    }

    private static Optional<Scope> noScope() {
        throw new IllegalStateException("made to fail");
    }

    private static boolean noAnswer() {
        throw new IllegalStateException("made to fail");
    }

    /** It was deleted after it had shown its token. */
    @Test
    void aProxyThatWasDeletedBeforeItWasConnectedIsToldSo() throws Exception {
        Proxy proxy = new Proxy(() -> true);
        fanout.connect(fanout.session("p", FanoutTest::scope, "", proxy));
        fanout.start();

        assertThat(comes(proxy.revoked)).isTrue();
        assertThat(proxy.served.getCount()).isEqualTo(1);
        await().until(() -> fanout.connected() == 0); // it is told before it is removed
    }

    /** All proxies of an organization get the same; what is late gets it as well. */
    @Test
    void secretsComeWithThePipelineThatRefersToThem() throws Exception {
        secrets.create(
                new Caller("org_1", "usr_1", "key_1", "127.0.0.1"),
                new SecretDraft("KEY", "s3cr3t-0123456789", "KEY", null, null, null));
        List<Snapshot> came = new CopyOnWriteArrayList<>();
        List<String> values = new CopyOnWriteArrayList<>();
        CountDownLatch served = new CountDownLatch(3);
        for (int i = 0; i < 3; i++) {
            fanout.connect(fanout.session("p" + i, FanoutTest::scope, "", (session, snapshot) -> {
                came.add(snapshot);
                values.addAll(values(snapshot));
                served.countDown();
            }));
        }
        fanout.start();

        assertThat(comes(served)).isTrue();
        assertThat(values).hasSize(3).containsOnly("s3cr3t-0123456789");
        assertThat(came.getFirst().pipeline().json()).contains("SALLYPORT_PROXY_KEY");
        assertThat(values(came.getFirst())).containsExactly("s3cr3t-0123456789");
    }

    /** Compiled then, it would be thrown away for what changes next. */
    @Test
    void whatChangesWhileAllProxiesApplyIsCompiledWhenOneIsThrough() throws Exception {
        BlockingQueue<Snapshot> came = new LinkedBlockingQueue<>();
        ProxySession proxy = fanout.session("p", FanoutTest::scope, "", (session, snapshot) -> came.add(snapshot));
        fanout.connect(proxy);
        fanout.start();
        Snapshot first = next(came);

        create("ONE");
        await().until(proxy::isStale);
        create("TWO");
        proxy.acknowledge(first.revision());

        Snapshot second = next(came);
        assertThat(second.pipeline().json()).contains("SALLYPORT_PROXY_ONE", "SALLYPORT_PROXY_TWO");
        proxy.acknowledge(second.revision());
        assertThat(proxy.applied()).isGreaterThan(first.revision());
        await().until(() -> !proxy.isStale());
        assertThat(came).isEmpty();
    }

    /** It would be compiled again before the proxy takes it. */
    @Test
    void whatChangesWhileTheProxyRestsIsCompiledWhenItHasRested() throws Exception {
        BlockingQueue<Snapshot> came = new LinkedBlockingQueue<>();
        ProxySession proxy = fanout.session("p", FanoutTest::scope, "", (session, snapshot) -> came.add(snapshot));
        fanout.connect(proxy);
        fanout.start();
        Snapshot first = next(came);
        proxy.rest(Duration.ofHours(1));
        proxy.acknowledge(first.revision());

        create("ONE");
        await().until(proxy::isStale);
        create("TWO");
        assertThat(came).isEmpty();
        assertThat(proxy.applied()).isEqualTo(first.revision());
        proxy.rest(Duration.ofMillis(10));
        fanout.wake();

        Snapshot second = next(came);
        assertThat(second.pipeline().json()).contains("SALLYPORT_PROXY_ONE", "SALLYPORT_PROXY_TWO");
    }

    private void create(String name) {
        secrets.create(
                new Caller("org_1", "usr_1", "key_1", "127.0.0.1"),
                new SecretDraft(name, "s3cr3t-0123456789", name, null, null, null));
    }

    private static Snapshot next(BlockingQueue<Snapshot> came) throws InterruptedException {
        Snapshot next = came.poll(Patience.SECONDS, TimeUnit.SECONDS);
        assertThat(next).isNotNull();
        return next;
    }

    private static List<String> values(Snapshot snapshot) {
        Credentials credentials = snapshot.credentials();
        return credentials.changedSince(Credentials.NONE).stream()
                .map(change -> credentials.with(change, bytes -> new String(bytes, StandardCharsets.UTF_8)))
                .toList();
    }

    @Test
    void aProxyThatCannotBeServedKeepsNoOtherFromItsPolicies() throws Exception {
        List<Proxy> good = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            fanout.connect(fanout.session("scope" + i, FanoutTest::noScope, "", new Proxy(() -> false)));
            fanout.connect(fanout.session("welcome" + i, FanoutTest::scope, "", new Proxy(FanoutTest::noAnswer)));
            Proxy proxy = new Proxy(() -> false);
            good.add(proxy);
            fanout.connect(fanout.session("good" + i, FanoutTest::scope, "", proxy));
        }
        fanout.start();

        for (Proxy proxy : good) {
            assertThat(comes(proxy.served)).isTrue();
        }
        assertThat(fanout.isCurrent()).isTrue();
    }

    /** What an account's data triggers deep inside is no exception. */
    @Test
    void anErrorForOneProxyEndsNeitherTheRoundNorTheThread() throws Exception {
        fanout.connect(fanout.session(
                "scope",
                () -> {
                    throw new StackOverflowError("made to fail");
                },
                "",
                new Proxy(() -> false)));
        fanout.connect(fanout.session("welcome", FanoutTest::scope, "", new Proxy(() -> {
            throw new OutOfMemoryError("made to fail");
        })));
        List<Proxy> good = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            Proxy proxy = new Proxy(() -> false);
            good.add(proxy);
            fanout.connect(fanout.session("good" + i, FanoutTest::scope, "", proxy));
        }
        fanout.start();

        for (Proxy proxy : good) {
            assertThat(comes(proxy.served)).isTrue();
        }
        assertThat(fanout.isCurrent()).isTrue();
    }

    @Test
    @Tag("long")
    void anErrorInARoundIsSurvived() throws Exception {
        CountDownLatch rounds = new CountDownLatch(3);
        fanout.follow(new Members() {
            @Override
            public void changed(Set<String> organizations) {
                rounds.countDown();
                fanout.wake();
                throw new NoClassDefFoundError("made to fail");
            }

            @Override
            public boolean isSettled(String organization) {
                return true;
            }

            @Override
            public long quietNanos() {
                return Long.MAX_VALUE;
            }
        });
        fanout.start();

        assertThat(comes(rounds)).isTrue();
    }
}
