package dev.sallyport.control.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.control.TestDatabase;
import dev.sallyport.control.audit.AdminAudit;
import dev.sallyport.control.crypto.Envelope;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Ids;
import dev.sallyport.control.model.Outcome;
import dev.sallyport.control.policy.PolicySets;
import dev.sallyport.control.secret.SecretDraft;
import dev.sallyport.control.secret.SecretPatch;
import dev.sallyport.control.secret.Secrets;
import dev.sallyport.control.store.ChangeLog;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.StoreSettings;
import dev.sallyport.core.Applied;
import dev.sallyport.core.PipelineFeed;
import dev.sallyport.core.PipelineUpdate;
import dev.sallyport.testsupport.Patience;
import io.opentelemetry.api.OpenTelemetry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Values that cannot be decrypted for a while, because another replica has sealed them with a key that is not here yet. */
@Timeout(60)
class UnreadableSecretsTest {

    private static final String GOOD = "g00d-0123456789";
    private static final String VALUE = "s3cr3t-0123456789";

    @TempDir
    Path folder;

    private final Proxy proxy = new Proxy();
    private final Ids ids = new Ids();
    private Store store;
    private Envelope envelope;
    private String keyset;
    private Secrets secrets;
    private Secrets ofOther;
    private FeedMeters meters;
    private Fanout fanout;
    private EmbeddedUpdates updates;

    @BeforeEach
    void start() throws Exception {
        store = Store.open(new StoreSettings(TestDatabase.url(folder), null, null), Clock.systemUTC());
        store.write(
                transaction -> transaction
                        .sql()
                        .execute(
                                "insert into organization (id, name, created_at) values ('org_1', 'one', 0), ('org_2', 'two', 1)"));
        envelope = Envelope.of(Envelope.newKey());
        keyset = envelope.rotated();
        secrets = secrets(envelope);
        ofOther = secrets(Envelope.of(keyset));
        meters = new FeedMeters(OpenTelemetry.noop());
        fanout = new Fanout(store, new ChangeLog(store), new Accounts(store, secrets), meters);
        updates = new EmbeddedUpdates(door());
    }

    private Secrets secrets(Envelope sealing) {
        return new Secrets(store, ids, new AdminAudit(store, ids), sealing, Clock.systemUTC());
    }

    @AfterEach
    void close() {
        updates.close();
        fanout.close();
        meters.close();
        store.close();
    }

    /** The proxy in the same process: what it has of secrets. */
    private static final class Proxy implements PipelineFeed {

        final Map<String, String> has = new ConcurrentHashMap<>();
        final CountDownLatch asked = new CountDownLatch(1);
        volatile CompletableFuture<Void> answering = CompletableFuture.completedFuture(null);

        @Override
        public CompletionStage<Applied> apply(PipelineUpdate update) {
            asked.countDown();
            update.removedSecrets().forEach(id -> has.remove(name(id)));
            update.secrets()
                    .forEach((id, secret) ->
                            has.put(name(id), new String(secret.value().bytes(), StandardCharsets.UTF_8)));
            return answering.thenApply(any -> new Applied(update.revision(), Map.of()));
        }

        private static String name(String reference) {
            return reference.replaceAll(".*/", "");
        }
    }

    private EmbeddedDoor door() {
        return new EmbeddedDoor(proxy, List.of(), EmbeddedDoor.FIRST, Set.of(), List::of);
    }

    private void connectWorkload() throws Exception {
        EmbeddedWorkloads workloads =
                new EmbeddedWorkloads(fanout, door(), new InstallationScopes(new PolicySets(store), door()), updates);
        workloads
                .connect("org_1", "w", spec -> spec.user("w"))
                .toCompletableFuture()
                .get(Patience.SECONDS, TimeUnit.SECONDS);
    }

    private static Caller owner(String organization) {
        return new Caller(organization, "usr_1", "key_1", "127.0.0.1");
    }

    private static String made(Secrets by, String organization, String name, String value) {
        return by.create(owner(organization), new SecretDraft(name, value, name, null, null, null))
                .value()
                .id();
    }

    /** What has come to a proxy: its hash, and the values by the names of the secrets; null for none. */
    private record Came(Snapshot snapshot, Map<String, @Nullable String> values) {

        static Came of(Snapshot snapshot) {
            Map<String, @Nullable String> values = new TreeMap<>();
            Credentials credentials = snapshot.credentials();
            for (Credentials.Change change : credentials.changedSince(Credentials.NONE)) {
                String value = credentials.with(change, bytes -> new String(bytes, StandardCharsets.UTF_8));
                values.put(Proxy.name(change.reference()), value);
            }
            return new Came(snapshot, values);
        }
    }

    /** A proxy that acknowledges at once what comes. */
    private BlockingQueue<Came> connect(String organization, String held) {
        BlockingQueue<Came> came = new LinkedBlockingQueue<>();
        fanout.connect(fanout.session(
                "p", () -> Optional.of(new Scope(organization, List.of())), held, (session, snapshot) -> {
                    came.add(Came.of(snapshot));
                    session.acknowledge(snapshot.revision());
                }));
        return came;
    }

    private static Came next(BlockingQueue<Came> came) throws InterruptedException {
        Came next = came.poll(Patience.SECONDS, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("nothing came");
        }
        return next;
    }

    @Test
    void aValueIsSentOnceItCanBeDecrypted() throws Exception {
        made(secrets, "org_1", "GOOD", GOOD);
        made(ofOther, "org_1", "KEY", VALUE);
        BlockingQueue<Came> came = connect("org_1", "");
        fanout.start();

        Came first = next(came);
        assertThat(first.values()).isEqualTo(Map.of("GOOD", GOOD));
        assertThat(first.snapshot().pipeline().json()).contains("SALLYPORT_PROXY_KEY");
        fanout.wake();
        assertThat(came.poll(1, TimeUnit.SECONDS)).as("nothing is new").isNull();

        envelope.use(keyset);
        fanout.wake();

        Came second = next(came);
        assertThat(second.values()).isEqualTo(Map.of("GOOD", GOOD, "KEY", VALUE));
        assertThat(second.snapshot().credentials().changedSince(first.snapshot().credentials()))
                .extracting(change -> Proxy.name(change.reference()))
                .containsExactly("KEY");
        fanout.wake();
        assertThat(came.poll(1, TimeUnit.SECONDS)).as("nothing is new").isNull();
    }

    /** It could be connected to another replica meanwhile, or start again with its cache. */
    @Test
    void whatAProxyBringsThatLacksAValueIsNotTakenForTheWhole() throws Exception {
        made(ofOther, "org_1", "KEY", VALUE);
        BlockingQueue<Came> before = connect("org_1", "");
        fanout.start();
        String held = next(before).snapshot().hash();
        envelope.use(keyset);

        assertThat(next(connect("org_1", held)).values()).isEqualTo(Map.of("KEY", VALUE));
    }

    @Test
    void theValueOfBeforeGoesWhileTheNewOneCannotBeDecrypted() throws Exception {
        String id = made(secrets, "org_1", "KEY", GOOD);
        BlockingQueue<Came> came = connect("org_1", "");
        fanout.start();
        Came first = next(came);

        ofOther.change(owner("org_1"), id, new SecretPatch(null, VALUE, null, null, null, null), false);

        Came second = next(came);
        assertThat(second.snapshot().credentials().goneSince(first.snapshot().credentials()))
                .hasSize(1);
        envelope.use(keyset);
        fanout.wake();
        assertThat(next(came).values()).isEqualTo(Map.of("KEY", VALUE));
    }

    /** The key would be read on this thread, from KMS. */
    @Test
    void aKeyThatIsAwayHoldsNobodyUp() throws Exception {
        CountDownLatch there = new CountDownLatch(1);
        envelope.onUnknownKey(() -> {
            try {
                there.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        made(ofOther, "org_1", "KEY", VALUE);
        made(secrets, "org_2", "KEY", GOOD);
        try {
            connectWorkload();
            BlockingQueue<Came> of1 = connect("org_1", "");
            BlockingQueue<Came> of2 = connect("org_2", "");
            fanout.start();

            assertThat(of1.poll(10, TimeUnit.SECONDS)).isNotNull();
            assertThat(of2.poll(10, TimeUnit.SECONDS)).isNotNull();
            assertThat(fanout.awaitApplied("org_1", 1, Outcome.NOTHING_ELSE, Duration.ofSeconds(10)))
                    .as("policies of the workload, too")
                    .isTrue();
            assertThat(fanout.isCurrent()).isTrue();
        } finally {
            there.countDown();
        }
    }

    @Test
    void theProxyOfThisProcessGetsItOnceItCanBeDecrypted() throws Exception {
        made(secrets, "org_1", "GOOD", GOOD);
        made(ofOther, "org_1", "KEY", VALUE);
        fanout.start();
        connectWorkload();
        await().until(() -> proxy.has.containsKey("GOOD"));
        assertThat(proxy.has).doesNotContainKey("KEY");

        envelope.use(keyset);
        fanout.wake();

        await().untilAsserted(() -> assertThat(proxy.has).isEqualTo(Map.of("GOOD", GOOD, "KEY", VALUE)));
    }

    /** Old keys are removed between a round and the moment in which a proxy gets what it was offered. */
    @Test
    @Tag("long")
    void whatHasBeenSealedAnewMeanwhileIsReadAgain() throws Exception {
        connectWorkload();
        CompletableFuture<Void> answering = new CompletableFuture<>();
        proxy.answering = answering;
        fanout.start();
        assertThat(proxy.asked.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        String id = made(secrets, "org_1", "KEY", VALUE);
        BlockingQueue<Came> other = connect("org_1", "");
        assertThat(next(other).values()).isEqualTo(Map.of("KEY", VALUE));

        resealWithoutChange(id);
        envelope.use(Envelope.of(keyset).withoutOldKeys());
        answering.complete(null);

        await().atMost(Patience.usual())
                .untilAsserted(() -> assertThat(proxy.has).isEqualTo(Map.of("KEY", VALUE)));
    }

    private void resealWithoutChange(String id) throws Exception {
        byte[] sealed = Envelope.of(keyset).seal(VALUE.getBytes(StandardCharsets.UTF_8), "org_1", "secret", id);
        store.write(transaction -> transaction
                .sql()
                .createUpdate("update secret set sealed_value = :sealed where id = :id")
                .bind("sealed", sealed)
                .bind("id", id)
                .execute());
    }
}
