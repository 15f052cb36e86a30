package dev.sallyport.control.feed;

import dev.sallyport.control.account.ApiKeys;
import dev.sallyport.control.model.Faults;
import dev.sallyport.control.model.ProxyPassword;
import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.control.workload.Workloads;
import dev.sallyport.core.WorkloadSpec;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the proxy in the same process up to date about who may tell itself as a workload of an account: a workload that
 * was made, by its user and password, and whoever shows an API key, under any name. Keys of an organization are users of one
 * workload, which is called like the organization. Follows the changes of all processes, on the thread of the rounds.
 */
@Singleton
public final class AccountWorkloads implements Members {

    private static final Logger LOG = LoggerFactory.getLogger(AccountWorkloads.class);

    /** How many organizations a query asks for. */
    private static final int ASKED_AT_ONCE = 500;

    private final Fanout fanout;
    private final EmbeddedWorkloads embedded;
    private final Workloads workloads;
    private final ApiKeys keys;
    private final Clock clock;
    private final Map<String, Present> accounts = new HashMap<>();

    /** How many changes of an organization the proxy has yet to apply. */
    private final Map<String, Integer> pending = new ConcurrentHashMap<>();

    /** Those whose members could not be read. */
    private final Set<String> unread = ConcurrentHashMap.newKeySet();

    private volatile @Nullable Instant expiry;

    AccountWorkloads(Fanout fanout, EmbeddedWorkloads embedded, Workloads workloads, ApiKeys keys, Clock clock) {
        this.fanout = fanout;
        this.embedded = embedded;
        this.workloads = workloads;
        this.keys = keys;
        this.clock = clock;
    }

    /** Who may come in for an organization. */
    private static final class Present {

        private final Set<String> workloads = new HashSet<>();
        private Set<ProxyPassword> keys = Set.of();

        /** When the first of the keys expires; null for never. */
        private @Nullable Instant expiry;
    }

    /** Tells the proxy, if there is one, who may come in now, and follows the changes. Blocks until the proxy knows. */
    @WithoutCaller("part of the start")
    public void start() {
        if (!embedded.hasProxy()) {
            return;
        }
        List<CompletionStage<?>> begun = new ArrayList<>();
        Map<String, List<ProxyPassword>> made = byOrganization(workloads.passwords());
        Map<String, List<ProxyPassword>> keyed = byOrganization(keys.passwords());
        Set<String> all = new HashSet<>(made.keySet());
        all.addAll(keyed.keySet());
        for (String organization : all) {
            begun.addAll(updateAlone(organization, made, keyed));
        }
        expiry = nearestExpiry();
        CompletableFuture.allOf(
                        begun.stream().map(CompletionStage::toCompletableFuture).toArray(CompletableFuture[]::new))
                .join();
        fanout.follow(this);
    }

    private static Map<String, List<ProxyPassword>> byOrganization(List<ProxyPassword> passwords) {
        return passwords.stream().collect(Collectors.groupingBy(ProxyPassword::organization));
    }

    @Override
    public void changed(Set<String> organizations) {
        Set<String> due = new HashSet<>(organizations);
        due.addAll(unread);
        Instant now = clock.instant();
        Instant nearest = expiry;
        if (nearest != null && !nearest.isAfter(now)) {
            accounts.forEach((organization, present) -> {
                if (present.expiry != null && !present.expiry.isAfter(now)) {
                    due.add(organization);
                }
            });
        }
        if (due.isEmpty()) {
            return;
        }
        unread.addAll(due);
        List<String> left = new ArrayList<>(due);
        for (int from = 0; from < left.size(); from += ASKED_AT_ONCE) {
            read(left.subList(from, Math.min(left.size(), from + ASKED_AT_ONCE)));
        }
        expiry = nearestExpiry();
    }

    private void read(Collection<String> some) {
        try {
            Map<String, List<ProxyPassword>> made = byOrganization(workloads.passwords(some));
            Map<String, List<ProxyPassword>> keyed = byOrganization(keys.passwords(some));
            some.forEach(organization -> updateAlone(organization, made, keyed));
        } catch (RuntimeException | Error e) {
            Faults.survived(e);
            LOG.error(
                    "who may come in for {} organizations cannot be read; it stays as it is, and is tried again",
                    some.size(),
                    e);
        }
    }

    /** What fails of one keeps no other from what is new of it. */
    private List<CompletionStage<?>> updateAlone(
            String organization, Map<String, List<ProxyPassword>> made, Map<String, List<ProxyPassword>> keyed) {
        List<CompletionStage<?>> begun = new ArrayList<>();
        try {
            update(
                    organization,
                    made.getOrDefault(organization, List.of()),
                    keyed.getOrDefault(organization, List.of()),
                    begun);
            unread.remove(organization);
        } catch (RuntimeException | Error e) {
            Faults.survived(e);
            unread.add(organization);
            LOG.error("who may come in for {} cannot be told to the proxy; it is tried again", organization, e);
        }
        begun.forEach(change -> await(organization, change));
        return begun;
    }

    /** Whoever may not come in any more goes first: what is wrong with one row lets nobody stay. */
    private void update(
            String organization, List<ProxyPassword> made, List<ProxyPassword> keyed, List<CompletionStage<?>> begun) {
        Present present = accounts.computeIfAbsent(organization, any -> new Present());
        List<Throwable> faults = new ArrayList<>();
        Set<String> left = made.stream().map(ProxyPassword::user).collect(Collectors.toSet());
        for (String id : List.copyOf(present.workloads)) {
            if (!left.contains(id)) {
                attempt(faults, () -> {
                    begun.add(embedded.remove(id));
                    present.workloads.remove(id);
                });
            }
        }
        attempt(
                faults,
                () -> updateKeys(organization, present, Set.copyOf(keyed)).ifPresent(begun::add));
        present.expiry = keyed.stream()
                .flatMap(key -> Stream.ofNullable(key.expiresAt()))
                .min(Instant::compareTo)
                .orElse(null);
        for (ProxyPassword password : made) {
            if (!present.workloads.contains(password.user())) {
                attempt(faults, () -> begun.add(connect(organization, present, password)));
            }
        }
        if (present.workloads.isEmpty() && present.keys.isEmpty() && faults.isEmpty()) {
            accounts.remove(organization);
        }
        if (!faults.isEmpty()) {
            IllegalStateException all = new IllegalStateException(faults.size() + " of them cannot be told");
            faults.forEach(all::addSuppressed);
            throw all;
        }
    }

    private static void attempt(List<Throwable> faults, Runnable change) {
        try {
            change.run();
        } catch (RuntimeException | Error e) {
            Faults.survived(e);
            faults.add(e);
        }
    }

    private CompletionStage<?> connect(String organization, Present present, ProxyPassword password) {
        String id = password.user();
        CompletionStage<?> begun = embedded.connect(
                organization, id, spec -> of(organization, spec).userWithDigest(id, password.digest()));
        present.workloads.add(id);
        return begun;
    }

    private Optional<CompletionStage<?>> updateKeys(String organization, Present present, Set<ProxyPassword> keyed) {
        Set<ProxyPassword> before = present.keys;
        if (before.equals(keyed)) {
            return Optional.empty();
        }
        Consumer<WorkloadSpec.Builder> selectors = spec -> {
            of(organization, spec);
            keyed.forEach(key -> spec.keyWithDigest(key.user(), key.digest()));
        };
        EmbeddedWorkloads.Workload connected = embedded.get(organization);
        CompletionStage<?> begun = keyed.isEmpty()
                ? embedded.remove(organization)
                : connected == null
                        ? embedded.connect(organization, organization, selectors)
                        : connected.select(selectors);
        present.keys = keyed;
        return Optional.of(begun);
    }

    private static WorkloadSpec.Builder of(String organization, WorkloadSpec.Builder spec) {
        return spec.attributes(Map.of(WorkloadSpec.ORGANIZATION, organization));
    }

    private void await(String organization, CompletionStage<?> change) {
        pending.merge(organization, 1, Integer::sum);
        change.whenComplete((done, fault) -> {
            pending.computeIfPresent(organization, (same, count) -> count == 1 ? null : (Integer) (count - 1));
            fanout.progressed();
        });
    }

    @Override
    public boolean isSettled(String organization) {
        return !pending.containsKey(organization) && !unread.contains(organization);
    }

    private @Nullable Instant nearestExpiry() {
        return accounts.values().stream()
                .flatMap(present -> Stream.ofNullable(present.expiry))
                .min(Instant::compareTo)
                .orElse(null);
    }

    @Override
    public long quietNanos() {
        Instant nearest = expiry;
        return nearest == null
                ? Long.MAX_VALUE
                : TimeUnit.MILLISECONDS.toNanos(Math.max(1, nearest.toEpochMilli() - clock.millis()));
    }
}
