package dev.sallyport.control.feed;

import dev.sallyport.control.account.ApiKeys;
import dev.sallyport.control.model.Faults;
import dev.sallyport.control.model.ProxyPassword;
import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.control.workload.Workloads;
import dev.sallyport.core.WorkloadSpec;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Keeps the proxy in the same process up to date about who may come in for an account. Keys of an organization are users of
 * one workload, which is called like the organization.
 */
@Singleton
public final class AccountWorkloads extends AccountFollower {

    private final Fanout fanout;
    private final EmbeddedWorkloads embedded;
    private final Map<String, Present> accounts = new HashMap<>();

    AccountWorkloads(Fanout fanout, EmbeddedWorkloads embedded, Workloads workloads, ApiKeys keys, Clock clock) {
        super(fanout, workloads, keys, clock);
        this.fanout = fanout;
        this.embedded = embedded;
    }

    /** Who may come in for an organization. */
    private static final class Present {

        private final Set<String> workloads = new HashSet<>();
        private Set<ProxyPassword> keys = Set.of();
    }

    /** Tells the proxy, if there is one, who may come in now, and follows the changes. Blocks until the proxy knows. */
    @WithoutCaller("part of the start")
    public void start() {
        if (!embedded.hasProxy()) {
            return;
        }
        CompletableFuture.allOf(updateAll().stream()
                        .map(CompletionStage::toCompletableFuture)
                        .toArray(CompletableFuture[]::new))
                .join();
        fanout.follow(this);
    }

    @Override
    void update(
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
}
