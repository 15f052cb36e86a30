package dev.sallyport.control.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sallyport.control.TestDatabase;
import dev.sallyport.control.audit.AdminAudit;
import dev.sallyport.control.crypto.Envelope;
import dev.sallyport.control.model.Ids;
import dev.sallyport.control.model.Outcome;
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
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How workloads of accounts are told to the proxy of the same process. */
@Timeout(60)
class EmbeddedWorkloadsTest {

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
        volatile @Nullable Throwable fault;
        volatile String bad = "";
        volatile CompletableFuture<Void> answering = CompletableFuture.completedFuture(null);

        @Override
        public CompletionStage<Applied> apply(PipelineUpdate update) {
            if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                return CompletableFuture.failedFuture(new IllegalStateException("made to fail"));
            }
            if (fault instanceof Error error) {
                fault = null;
                throw error;
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

    @Test
    void aWorkloadIsKnownAndRefusedEverythingBeforeItsPoliciesCome() throws Exception {
        EmbeddedWorkloads.Workload workload = done(connect("a"));

        assertThat(door.updates).hasSize(1);
        WorkloadSpec first = door.updates.getFirst().upserts().getFirst();
        assertThat(first.users()).containsExactly("a");
        assertThat(first.pipeline()).isEqualTo(NOTHING);
        assertThat(workload.applied()).isZero();
        assertThat(workload.awaitFirst(Duration.ofMillis(10))).isFalse();

        fanout.start();

        assertThat(workload.awaitFirst(Duration.ofSeconds(30))).isTrue();
        assertThat(workload.applied()).isPositive();
        assertThat(fanout.awaitApplied("org_1", 1, Outcome.NOTHING_ELSE, Duration.ofSeconds(30)))
                .isTrue();
    }

    @Test
    void whatComesMeanwhileIsOneUpdate() throws Exception {
        CompletableFuture<Void> answering = new CompletableFuture<>();
        door.answering = answering;
        CompletionStage<EmbeddedWorkloads.Workload> first = connect("a");
        await().until(() -> door.updates.size() == 1);
        CompletionStage<EmbeddedWorkloads.Workload> last = first;
        for (int i = 0; i < 10; i++) {
            last = connect("w" + i);
        }
        assertThat(first.toCompletableFuture()).isNotDone();

        answering.complete(null);

        done(last);
        assertThat(door.updates).hasSize(2);
        assertThat(names(door.updates.getLast())).hasSize(10).contains("w0", "w9");
    }

    /** A value must not go where only policies of another moment let it go. */
    @Test
    void aSnapshotThatComesWhileAnUpdateIsMadeComesWholeInTheNext() throws Exception {
        EmbeddedWorkloads.Workload one = done(connect("a"));
        EmbeddedWorkloads.Workload other = done(connect("b"));
        fanout.start();
        assertThat(one.awaitFirst(Duration.ofSeconds(30))).isTrue();
        assertThat(other.awaitFirst(Duration.ofSeconds(30))).isTrue();
        Secret secret =
                new Secret("sec_1", "KEY", "KEY", List.of("a.test"), "p", null, false, Instant.EPOCH, Instant.EPOCH);
        Compiled pipeline = new Compiled("{\"transforms\":[]}", "second", new Origins(), List.of(), List.of());
        Snapshot second = Snapshot.of(
                one.applied() + 1,
                pipeline,
                Credentials.of(
                        "org_1",
                        new SecretSet(List.of(new StoredSecret(secret, 1, new byte[0])), List.of()),
                        new OpenValues(stored -> "a-value".getBytes(StandardCharsets.UTF_8)),
                        List.of()));
        CompletableFuture<Void> answering = new CompletableFuture<>();
        door.answering = answering;
        int before = door.updates.size();
        CompletionStage<Void> first = other.select(spec -> spec.user("b"));
        await().until(() -> door.updates.size() == before + 1);

        // when: the one is told of in an update in which the snapshot comes between it and the other
        AtomicBoolean come = new AtomicBoolean();
        CompletionStage<Void> half = one.select(spec -> spec.user("a"));
        CompletionStage<Void> rest = other.select(spec -> {
            spec.user("b");
            if (come.compareAndSet(false, true)) {
                one.snapshot(one.session(), second);
            }
        });
        answering.complete(null);

        // then
        done(first);
        done(half);
        done(rest);
        await().until(() -> door.updates.size() == before + 3);
        assertThat(names(door.updates.get(before + 1))).containsExactly("a", "b");
        assertThat(door.updates.get(before + 1).secrets()).isEmpty();
        PipelineUpdate whole = door.updates.get(before + 2);
        assertThat(whole.upserts().getFirst().pipeline()).isEqualTo(PipelineSpec.of(pipeline.json()));
        assertThat(whole.secrets()).containsOnlyKeys("org_1/sec_1/KEY");
    }

    @Test
    void whatCouldNotBeToldIsToldAgain() throws Exception {
        done(connect("gone"));
        EmbeddedWorkloads.Workload gone = workloads.get("gone");
        int before = door.updates.size();
        door.failures.set(2);

        CompletionStage<Void> removed = gone.remove();
        CompletionStage<EmbeddedWorkloads.Workload> made = connect("a");

        done(removed);
        done(made);
        // In one update, or in two if the second change comes late.
        List<PipelineUpdate> told = door.updates.subList(before, door.updates.size());
        assertThat(told).flatExtracting(PipelineUpdate::removals).containsExactly("gone");
        assertThat(told).flatExtracting(update -> names(update)).containsExactly("a");
        assertThat(workloads.get("gone")).isNull();
    }

    @Test
    void aNameThatComesBackIsAnotherWorkload() throws Exception {
        EmbeddedWorkloads.Workload before = done(connect("a"));
        fanout.start();
        assertThat(before.awaitFirst(Duration.ofSeconds(30))).isTrue();

        done(before.remove());
        EmbeddedWorkloads.Workload after = done(connect("a"));

        assertThat(after).isNotSameAs(before);
        assertThat(after.awaitFirst(Duration.ofSeconds(30))).isTrue();
        done(before.remove());
        assertThat(workloads.get("a")).isSameAs(after);
    }

    @Test
    void otherSelectorsTakeThePlaceOfThoseOfBefore() throws Exception {
        EmbeddedWorkloads.Workload workload = done(connect("a"));

        done(workload.select(spec -> spec.sourceCidr("192.0.2.1")));

        WorkloadSpec last = door.updates.getLast().upserts().getFirst();
        assertThat(last.users()).isEmpty();
        assertThat(last.sourceCidrs()).containsExactly("192.0.2.1");
    }

    @Test
    void aNameIsConnectedOnceAndOnlyWhereThereIsAProxy() throws Exception {
        done(connect("a"));

        assertThatThrownBy(() -> connect("a")).isInstanceOf(IllegalStateException.class);
        EmbeddedWorkloads none = to(null);
        assertThat(none.hasProxy()).isFalse();
        assertThatThrownBy(() -> none.connect("org_1", "a", spec -> spec.user("a")))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> workloads.connect("org_1", "b", spec -> spec.userWithDigest("b", new byte[3])))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(workloads.get("b")).isNull();
    }

    /** So they are held back with the account whose events theirs are. */
    @Test
    void callersOfNoWorkloadAreOfTheAccountWhosePoliciesTheyHave() {
        EmbeddedWorkloads.Unclaimed unclaimed =
                workloads.serveUnclaimed(() -> Optional.of(new Scope("org_1", List.of(), PolicySources.ALL)));
        fanout.start();

        assertThat(unclaimed.awaitPolicies(Duration.ofSeconds(30))).isTrue();
        assertThat(door.updates.getLast().unclaimedOrganization()).isEqualTo("org_1");
    }

    @Test
    void workloadsAreNoProxies() throws Exception {
        done(connect("a"));

        assertThat(workloads.get("a").isProxy()).isFalse();
        assertThat(fanout.connected()).isZero();
    }

    @Test
    void anErrorWhileTheProxyIsToldIsSurvived() throws Exception {
        door.fault = new StackOverflowError("made to fail");

        done(connect("a"));

        assertThat(names(door.updates.getLast())).containsExactly("a");
        door.fault = new NoClassDefFoundError("made to fail");
        done(workloads.remove("a"));
        assertThat(door.updates.getLast().removals()).containsExactly("a");
    }

    /** What cannot be told of one organization keeps nobody else from their policies, and is tried again by itself. */
    @Test
    void whatCannotBeToldOfAnOrganizationKeepsNoOtherWaiting() throws Exception {
        door.bad = "bad";
        CompletionStage<EmbeddedWorkloads.Workload> bad = workloads.connect("org_2", "bad", spec -> spec.user("bad"));
        for (int i = 0; i < 5; i++) {
            done(connect("a" + i));
        }
        done(workloads.get("a0").select(spec -> spec.user("other")));
        done(workloads.remove("a1"));

        assertThat(bad.toCompletableFuture()).isNotDone();
        door.bad = "";
        done(bad);
        assertThat(door.updates.stream().filter(update -> names(update).contains("bad")))
                .hasSize(1);
    }

    /** A name that is removed and made again is told in that order, however often it fails. */
    @Test
    void whatComesAfterAFailureOfTheSameOrganizationDoesNotOvertakeIt() throws Exception {
        done(connect("a"));
        door.bad = "a";
        CompletionStage<Void> removed = workloads.remove("a");
        CompletionStage<Void> again = workloads.remove("a");
        CompletionStage<EmbeddedWorkloads.Workload> other = connect("b");

        assertThat(removed.toCompletableFuture()).isNotDone();
        assertThat(again.toCompletableFuture()).as("it is still known").isNotDone();
        door.bad = "";
        done(removed);
        done(again);
        done(other);
        assertThat(workloads.get("a")).isNull();
    }
}
