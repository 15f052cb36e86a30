package dev.sallyport.control.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sallyport.control.TestDatabase;
import dev.sallyport.control.audit.AdminAudit;
import dev.sallyport.control.crypto.Envelope;
import dev.sallyport.control.model.Ids;
import dev.sallyport.control.policy.PolicySets;
import dev.sallyport.control.secret.Secret;
import dev.sallyport.control.secret.SecretSet;
import dev.sallyport.control.secret.Secrets;
import dev.sallyport.control.secret.StoredSecret;
import dev.sallyport.control.store.ChangeLog;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.StoreSettings;
import dev.sallyport.core.Applied;
import dev.sallyport.core.PipelineFeed;
import dev.sallyport.core.PipelineSpec;
import dev.sallyport.core.PipelineUpdate;
import dev.sallyport.core.WorkloadSpec;
import dev.sallyport.testsupport.Patience;
import io.opentelemetry.api.OpenTelemetry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of changes that the proxy of the same process could not be told. */
@Timeout(60)
class EmbeddedUpdatesTest {

    private static final PipelineSpec NOTHING =
            PipelineSpec.of(Compiler.refusing(List.of()).json());

    @TempDir
    Path folder;

    private final Door door = new Door();
    private Store store;
    private FeedMeters meters;
    private Fanout fanout;
    private EmbeddedUpdates updates;
    private EmbeddedWorkloads workloads;

    /** Takes all updates; fails, or does not answer, where it is told to. */
    private static final class Door implements PipelineFeed {

        final List<PipelineUpdate> updates = new CopyOnWriteArrayList<>();
        final AtomicInteger failures = new AtomicInteger();
        volatile String bad = "";
        volatile CompletableFuture<Void> answering = CompletableFuture.completedFuture(null);

        @Override
        public CompletionStage<Applied> apply(PipelineUpdate update) {
            if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                return CompletableFuture.failedFuture(new IllegalStateException("made to fail"));
            }
            if (names(update).contains(bad) || update.removals().contains(bad)) {
                return CompletableFuture.failedFuture(new IllegalStateException("not with " + bad));
            }
            updates.add(update);
            return answering.thenApply(any -> new Applied(update.revision(), Map.of()));
        }
    }

    @BeforeEach
    void start() throws Exception {
        store = Store.open(new StoreSettings(TestDatabase.url(folder), null, null), Clock.systemUTC());
        store.write(transaction -> {
            transaction.sql().execute("insert into organization (id, name, created_at) values ('org_1', 'one', 0)");
            transaction.changed("org_1", "organization", "org_1");
            return 1;
        });
        meters = new FeedMeters(OpenTelemetry.noop());
        Ids ids = new Ids();
        Secrets secrets =
                new Secrets(store, ids, new AdminAudit(store, ids), Envelope.of(Envelope.newKey()), Clock.systemUTC());
        fanout = new Fanout(store, new ChangeLog(store), new Accounts(store, secrets), meters);
        updates = new EmbeddedUpdates(embedded(door));
        workloads = to(door);
    }

    private static EmbeddedDoor embedded(@Nullable PipelineFeed proxy) {
        return new EmbeddedDoor(proxy, List.of(), EmbeddedDoor.FIRST, Set.of(), List::of);
    }

    private EmbeddedWorkloads to(@Nullable PipelineFeed proxy) {
        EmbeddedDoor embedded = embedded(proxy);
        return new EmbeddedWorkloads(
                fanout, embedded, new InstallationScopes(new PolicySets(store), embedded), updates);
    }

    @AfterEach
    void close() {
        updates.close();
        fanout.close();
        meters.close();
        store.close();
    }

    private static <T> T done(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(Patience.SECONDS, TimeUnit.SECONDS);
    }

    private CompletionStage<EmbeddedWorkloads.Workload> connect(String name) {
        return workloads.connect("org_1", name, spec -> spec.user(name));
    }

    private static List<String> names(PipelineUpdate update) {
        return update.upserts().stream().map(WorkloadSpec::name).toList();
    }

    /** @param secret whether it has one, always of the same version */
    private static Snapshot snapshot(long revision, boolean secret) {
        Secret one =
                new Secret("sec_1", "KEY", "KEY", List.of("a.test"), "p", null, false, Instant.EPOCH, Instant.EPOCH);
        return Snapshot.of(
                revision,
                new Compiled("{\"transforms\":[]}", "second", new Origins(), List.of(), List.of()),
                Credentials.of(
                        "org_1",
                        new SecretSet(secret ? List.of(new StoredSecret(one, 1, new byte[0])) : List.of(), List.of()),
                        new OpenValues(stored -> "a-value".getBytes(StandardCharsets.UTF_8)),
                        List.of()));
    }

    /** The proxy deletes secrets also where it cannot apply the rest of an update. */
    @Test
    void aSecretThatAFailedUpdateRemovedIsDeliveredWhenItIsBack() throws Exception {
        EmbeddedWorkloads.Workload workload = done(connect("a"));
        workload.session().findScope();
        workload.snapshot(workload.session(), snapshot(1, true));
        await().until(() -> door.updates.getLast().secrets().containsKey("org_1/sec_1/KEY"));

        int before = door.updates.size();
        door.failures.set(1);
        workload.snapshot(workload.session(), snapshot(2, false));
        await().until(() -> door.failures.get() == 0);
        workload.snapshot(workload.session(), snapshot(3, true));
        done(workload.select(spec -> spec.user("a")));

        assertThat(door.updates.subList(before, door.updates.size()))
                .anyMatch(update -> update.secrets().containsKey("org_1/sec_1/KEY"));
    }

    /** It is not known whether the proxy came to delete it. */
    @Test
    void aSecretThatAFailedUpdateRemovedIsRemovedAgain() throws Exception {
        EmbeddedWorkloads.Workload workload = done(connect("a"));
        workload.session().findScope();
        workload.snapshot(workload.session(), snapshot(1, true));
        await().until(() -> door.updates.getLast().secrets().containsKey("org_1/sec_1/KEY"));

        int before = door.updates.size();
        door.failures.set(2);
        workload.snapshot(workload.session(), snapshot(2, false));
        done(workload.select(spec -> spec.user("a")));

        assertThat(door.failures).hasValue(0);
        assertThat(door.updates.subList(before, door.updates.size()))
                .anyMatch(update -> update.removedSecrets().contains("org_1/sec_1/KEY"));
    }

    /** Whoever was removed must not stay because something else of the account cannot be told. */
    @Test
    void removalsDoNotWaitForWhatElseIsNewOfTheirAccount() throws Exception {
        done(connect("a"));
        done(connect("b"));
        done(connect("other"));
        CompletableFuture<Void> answering = new CompletableFuture<>();
        door.answering = answering;
        CompletionStage<Void> busy = workloads.get("other").select(spec -> spec.user("other"));
        await().until(() -> door.updates.size() == 4);
        door.bad = "bad";
        CompletionStage<EmbeddedWorkloads.Workload> bad = connect("bad");
        CompletionStage<Void> removed = workloads.remove("a");
        CompletionStage<Void> alsoRemoved = workloads.remove("b");

        answering.complete(null);

        done(busy);
        done(removed);
        done(alsoRemoved);
        assertThat(bad.toCompletableFuture()).isNotDone();
        assertThat(door.updates.getLast().removals()).containsExactlyInAnyOrder("a", "b");
        door.bad = "";
        done(bad);
    }

    /** Callers whose account cannot be told, for a while. */
    private final class Faulty extends EmbeddedCallers {

        private final AtomicInteger faults = new AtomicInteger(1);

        Faulty() {
            super("faulty", "faulty", Optional::empty, fanout, updates);
        }

        @Override
        @Nullable Object addTo(PipelineUpdate.Builder update, @Nullable Snapshot now) {
            update.upsert(WorkloadSpec.builder("faulty")
                    .user("faulty")
                    .pipeline(NOTHING)
                    .build());
            return null;
        }

        @Override
        String organization() {
            if (faults.getAndDecrement() > 0) {
                throw new StackOverflowError("made to fail");
            }
            return "org_1";
        }
    }

    @Test
    void whateverFailsWhileChangesAreTakenTheyAreToldLater() throws Exception {
        CompletionStage<Void> told = updates.tell(new Faulty());

        done(told);

        assertThat(names(door.updates.getLast())).contains("faulty");
    }
}
