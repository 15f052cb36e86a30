package dev.sallyport.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.core.Applied;
import dev.sallyport.core.PipelineFeed;
import dev.sallyport.core.PipelineSpec;
import dev.sallyport.core.PipelineUpdate;
import dev.sallyport.core.WorkloadSpec;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.Location;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/spec/decisions.md, section 16: accounts at a proxy that they share; what is wrong with one concerns no other. */
class HeldAccountsTest {

    private static final String PIPELINE =
            "{\"transforms\":[{\"name\":\"allowlist\",\"config\":{\"rules\":[{\"host\":\"example.com\"}]}}]}";
    private static final String DIGEST = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

    @TempDir
    Path folder;

    private final Instant now = Instant.now();
    private final Door door = new Door();
    private HeldAccounts held;

    /** A proxy that cannot take workloads of some names. */
    static final class Door implements PipelineFeed {

        final Set<String> workloads = new HashSet<>();
        private final Map<String, PipelineSpec> pipelines = new HashMap<>();
        private final Set<String> secrets = new HashSet<>();
        private final Set<String> impossible = new HashSet<>();
        private final Map<String, List<ConfigProblem>> problems = new HashMap<>();
        boolean ready = true;

        boolean isRefused(String workload) {
            return PipelineSpec.of(HeldAccount.NOTHING).equals(pipelines.get(workload));
        }

        @Override
        public CompletionStage<Applied> apply(PipelineUpdate update) {
            for (WorkloadSpec workload : update.upserts()) {
                if (impossible.contains(workload.name())) {
                    return CompletableFuture.failedStage(new IllegalStateException("no"));
                }
            }
            workloads.removeAll(update.removals());
            update.upserts().forEach(workload -> {
                workloads.add(workload.name());
                pipelines.put(workload.name(), workload.pipeline());
            });
            secrets.removeAll(update.removedSecrets());
            secrets.addAll(update.secrets().keySet());
            ready = update.ready() == null ? ready : update.ready();
            return CompletableFuture.completedStage(new Applied(update.revision(), Map.copyOf(problems)));
        }
    }

    @BeforeEach
    void begin() {
        held = held(Duration.ofDays(7));
    }

    private HeldAccounts held(Duration maxOffline) {
        ControlPlaneConfig config = new ControlPlaneConfig(
                "http://127.0.0.1:1", "T", null, null, null, maxOffline, Duration.ofHours(24), null, null, null);
        HeldAccounts made = new HeldAccounts(config, door);
        made.begin();
        return made;
    }

    static ObjectNode json(String id, String... workloads) throws Exception {
        ObjectNode json = SnapshotTest.json(PIPELINE).put("account", id);
        for (String workload : workloads) {
            json.withArray("workloads").addObject().put("id", workload).put("sha256", DIGEST);
        }
        json.putArray("keys").addObject().put("id", "key_" + id).put("sha256", DIGEST);
        return json;
    }

    private static HeldAccount account(String id, String... workloads) throws Exception {
        return HeldAccount.of(json(id, workloads));
    }

    private Set<String> take(HeldAccount... accounts) {
        return held.take(new HeldAccounts.Change(List.of(), List.of(accounts)), 1, now);
    }

    @Test
    void nobodyIsServedBeforeItIsSaid() throws Exception {
        assertThat(door.ready).isFalse();
        take(account("org_1", "wl_1"));
        assertThat(door.ready).isFalse();

        held.serve();

        assertThat(door.ready).isTrue();
        assertThat(door.workloads).containsExactlyInAnyOrder("wl_1", "org_1");
    }

    @Test
    void anAccountThatCannotBeAppliedIsNotThereAndKeepsNoOtherWaiting() throws Exception {
        take(account("org_2", "wl_2"));
        door.impossible.add("wl_bad");

        Set<String> failed = take(account("org_1", "wl_1"), account("org_2", "wl_bad"), account("org_3", "wl_3"));

        assertThat(failed).containsExactly("org_2");
        assertThat(door.workloads).containsExactlyInAnyOrder("wl_1", "org_1", "wl_3", "org_3");
        assertThat(held.get("org_2")).isNull();
        assertThat(held.ids()).containsExactlyInAnyOrder("org_1", "org_3");
    }

    @Test
    void whatGoesGoesAlsoWhereWhatComesCannotBeApplied() throws Exception {
        take(account("org_1", "wl_1"), account("org_2", "wl_2"));
        door.impossible.add("wl_bad");

        Set<String> failed =
                held.take(new HeldAccounts.Change(List.of("org_1"), List.of(account("org_2", "wl_bad"))), 2, now);

        assertThat(failed).containsExactly("org_2");
        assertThat(door.workloads).isEmpty();
    }

    @Test
    void aWorkloadThatIsNotThereAnyMoreGoes() throws Exception {
        take(account("org_1", "wl_1", "wl_2"));

        take(account("org_1", "wl_2"));

        assertThat(door.workloads).containsExactlyInAnyOrder("wl_2", "org_1");
    }

    /** The proxy says once what is wrong with a pipeline. */
    @Test
    void problemsStayUntilThePipelineChanges() throws Exception {
        ConfigProblem problem = new ConfigProblem(new Location("pipeline", 1, 1), "/transforms/0", "wrong", "right");
        door.problems.put("wl_1", List.of(problem));
        take(account("org_1", "wl_1"), account("org_2", "wl_2"));
        assertThat(held.problems()).containsExactly(Map.entry("org_1", List.of(problem)));
        door.problems.clear();

        take(account("org_1", "wl_1", "wl_3"));

        assertThat(held.problems()).containsExactly(Map.entry("org_1", List.of(problem)));
        String other = "{\"transforms\":[{\"name\":\"allowlist\",\"config\":{\"warn\":true,\"rules\":[]}}]}";
        ObjectNode changed = SnapshotTest.json(other).put("account", "org_1");
        changed.set("workloads", json("org_1", "wl_1").path("workloads"));
        take(HeldAccount.of(changed));
        assertThat(held.problems()).isEmpty();
    }

    @Test
    void aSecretOfAnotherAccountIsRefused() throws Exception {
        ObjectNode json = json("org_1", "wl_1");
        json.withArray("secrets")
                .addObject()
                .put("id", "org_2/sec_1/KEY")
                .put("version", "1")
                .put("value", "AAAA");

        assertThatThrownBy(() -> HeldAccount.of(json))
                .isInstanceOf(UnusableSnapshotException.class)
                .hasMessageContaining("another account");
    }

    /** An account that the control plane could not say anything of ends alone. */
    @Test
    void whatWasNotConfirmedForTooLongEndsAlone() throws Exception {
        held = held(Duration.ofMinutes(1));
        Instant before = Instant.now().minus(Duration.ofMinutes(2));
        held.take(
                new HeldAccounts.Change(List.of(), List.of(account("org_1", "wl_1"), account("org_2", "wl_2"))),
                1,
                before);
        held.serve();

        held.confirm(Set.of("org_2"));
        HeldAccounts.Expiry expiry = held.expire();

        assertThat(expiry.ended()).containsExactly("org_2");
        assertThat(door.isRefused("wl_2")).isTrue();
        assertThat(door.isRefused("wl_1")).isFalse();
        assertThat(door.ready).isTrue();
        assertThat(held.expire().ended()).as("once").isEmpty();

        take(account("org_2", "wl_2"));
        assertThat(door.isRefused("wl_2")).isFalse();
    }

    @Test
    void withoutAWordForTooLongEverybodyIsRefused() throws Exception {
        held = held(Duration.ofMinutes(1));
        Instant before = Instant.now().minus(Duration.ofMinutes(2));
        held.take(new HeldAccounts.Change(List.of(), List.of(account("org_1", "wl_1"))), 1, before);
        held.confirmedAt(before);
        held.serve();

        held.expire();

        assertThat(door.ready).isFalse();
        assertThat(door.isRefused("wl_1")).isTrue();
    }

    private AccountsCache cache(byte proxy) throws Exception {
        return AccountsCache.in(SealedFolder.open(folder, new CacheKey.InFile(null), new byte[] {proxy}));
    }

    @Test
    void whatWasKeptIsReadBackForThisProxyAlone() throws Exception {
        AccountsCache cache = cache((byte) 1);
        HeldAccount one = account("org_1", "wl_1");
        cache.keep(one, now.minusSeconds(60));
        cache.keep(account("org_2", "wl_2"), now.minusSeconds(60));
        cache.keep(account("org_3", "wl_3"), now.minusSeconds(60));
        assertThat(cache.read()).as("before anything was confirmed").isNull();
        cache.confirm(now, Set.of("org_2"));
        cache.remove("org_3");

        AccountsCache.All all = cache((byte) 1).read();

        assertThat(all).isNotNull();
        assertThat(all.accounts())
                .extracting(kept -> kept.account().id() + " " + kept.at().toEpochMilli())
                .containsExactlyInAnyOrder(
                        "org_1 " + now.toEpochMilli(),
                        "org_2 " + now.minusSeconds(60).toEpochMilli());
        assertThat(all.accounts().getFirst().account().saysTheSame(one)
                        || all.accounts().getLast().account().saysTheSame(one))
                .isTrue();
        assertThatThrownBy(() -> cache((byte) 2).read()).hasMessageContaining("for this proxy");
        AccountsCache.wipe(folder);
        assertThat(cache.read()).isNull();
    }
}
