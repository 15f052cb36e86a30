package dev.sallyport.control.feed;

import dev.sallyport.control.account.ApiKeys;
import dev.sallyport.control.model.Faults;
import dev.sallyport.control.model.ProxyPassword;
import dev.sallyport.control.workload.Workloads;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows who may tell itself as a workload of an account: a workload that was made, by its user and password, and whoever
 * shows an API key, under any name. Follows the changes of all processes, on the thread of the rounds; what cannot be read or
 * told of one account is tried again in each round, and keeps no other waiting.
 */
abstract class AccountFollower implements Members {

    private static final Logger LOG = LoggerFactory.getLogger(AccountFollower.class);

    /** How many organizations a query asks for. */
    private static final int ASKED_AT_ONCE = 500;

    private final Fanout fanout;
    private final Workloads workloads;
    private final ApiKeys keys;
    private final Clock clock;

    /** When the first key of an organization expires, if one does. */
    private final Map<String, Instant> expiries = new HashMap<>();

    /** How many changes of an organization proxies have yet to apply. */
    private final Map<String, Integer> pending = new ConcurrentHashMap<>();

    /** Those whose members could not be read. */
    private final Set<String> unread = ConcurrentHashMap.newKeySet();

    private volatile @Nullable Instant expiry;

    AccountFollower(Fanout fanout, Workloads workloads, ApiKeys keys, Clock clock) {
        this.fanout = fanout;
        this.workloads = workloads;
        this.keys = keys;
        this.clock = clock;
    }

    /**
     * Tells who may come in for an organization. Whoever may not any more goes first: what is wrong with one row lets nobody
     * stay.
     *
     * @param made the passwords of its workloads
     * @param keyed its API keys
     * @param begun takes what completes when proxies go by it
     */
    abstract void update(
            String organization, List<ProxyPassword> made, List<ProxyPassword> keyed, List<CompletionStage<?>> begun);

    /** Tells who may come in now, of all organizations; returns what completes when proxies go by it. Blocks. */
    final List<CompletionStage<?>> updateAll() {
        List<CompletionStage<?>> begun = new ArrayList<>();
        Map<String, List<ProxyPassword>> made = byOrganization(workloads.passwords());
        Map<String, List<ProxyPassword>> keyed = byOrganization(keys.passwords());
        Set<String> all = new HashSet<>(made.keySet());
        all.addAll(keyed.keySet());
        for (String organization : all) {
            begun.addAll(updateAlone(organization, made, keyed));
        }
        expiry = nearestExpiry();
        return begun;
    }

    /** Forgets all that was read. */
    final void forget() {
        expiries.clear();
        unread.clear();
        expiry = null;
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
            expiries.forEach((organization, first) -> {
                if (!first.isAfter(now)) {
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
        List<ProxyPassword> valid = keyed.getOrDefault(organization, List.of());
        try {
            update(organization, made.getOrDefault(organization, List.of()), valid, begun);
            unread.remove(organization);
        } catch (RuntimeException | Error e) {
            Faults.survived(e);
            unread.add(organization);
            LOG.error("who may come in for {} cannot be told to the proxy; it is tried again", organization, e);
        }
        valid.stream()
                .flatMap(key -> Stream.ofNullable(key.expiresAt()))
                .min(Instant::compareTo)
                .ifPresentOrElse(first -> expiries.put(organization, first), () -> expiries.remove(organization));
        begun.forEach(change -> await(organization, change));
        return begun;
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
        return expiries.values().stream().min(Instant::compareTo).orElse(null);
    }

    @Override
    public long quietNanos() {
        Instant nearest = expiry;
        return nearest == null
                ? Long.MAX_VALUE
                : TimeUnit.MILLISECONDS.toNanos(Math.max(1, nearest.toEpochMilli() - clock.millis()));
    }
}
