package dev.sallyport.feed;

import dev.sallyport.core.Applied;
import dev.sallyport.core.PipelineFeed;
import dev.sallyport.core.PipelineUpdate;
import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.config.ConfigProblem;
import dev.sallyport.core.config.Durations;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The accounts that a control plane has given a proxy which they share, in force here for as long as they may be. Callers of
 * no account are refused. What cannot be applied of one account is not there, and keeps no other waiting. Thread-safe; what
 * changes something blocks until the proxy goes by it.
 */
final class HeldAccounts implements EventAccounts {

    private static final Logger LOG = LoggerFactory.getLogger(HeldAccounts.class);
    private static final String WHY_EXPIRED = "the control plane has not confirmed it for too long";

    /** How many workloads that are gone are known by name: records of their last requests are still to come. */
    private static final int REMEMBERED = 10_000;

    private final ControlPlaneConfig config;
    private final PipelineFeed door;
    private final Map<String, Held> accounts = new HashMap<>();

    /** The accounts that the control plane has left out when it said that all others hold. */
    private final Set<String> doubtful = new HashSet<>();

    /** When it last said that all but those hold. */
    private Instant confirmed = Instant.EPOCH;

    private boolean withheld = true;

    /** The accounts of workloads that are there, and were lately. */
    private final Map<String, String> owners = new HashMap<>();

    private final Map<String, String> formerOwners = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
            return size() > REMEMBERED;
        }
    };

    /**
     * What is held of an account.
     *
     * @param at when the control plane said that it holds, unless it has said so of all since
     * @param problems what of it does not work
     * @param over whether it holds no more: its callers are known, and refused everything
     */
    private record Held(HeldAccount account, Instant at, List<ConfigProblem> problems, boolean over) {

        Held at(Instant time) {
            return new Held(account, time, problems, over);
        }

        Held with(HeldAccount next) {
            return new Held(next, at, problems, over);
        }

        Held end() {
            return new Held(account.refused(), at, List.of(), true);
        }
    }

    HeldAccounts(ControlPlaneConfig config, PipelineFeed door) {
        this.config = config;
        this.door = door;
    }

    /** What is to change. Accounts that are in both lists go, and come as they are then. */
    record Change(Collection<String> gone, List<HeldAccount> accounts) {}

    /** Refuses everybody until there is something. */
    synchronized void begin() {
        apply(PipelineUpdate.builder().refuseUnclaimed().checkCredentials().ready(false));
    }

    /** What is held of an account; null for nothing. */
    synchronized @Nullable HeldAccount get(String id) {
        Held held = accounts.get(id);
        return held == null ? null : held.account();
    }

    synchronized Set<String> ids() {
        return Set.copyOf(accounts.keySet());
    }

    /** What is held of all accounts that hold. */
    synchronized List<HeldAccount> all() {
        return accounts.values().stream()
                .filter(held -> !held.over())
                .map(Held::account)
                .toList();
    }

    /** What does not work, by account. */
    synchronized Map<String, List<ConfigProblem>> problems() {
        Map<String, List<ConfigProblem>> problems = new TreeMap<>();
        accounts.forEach((id, held) -> {
            if (!held.problems().isEmpty()) {
                problems.put(id, held.problems());
            }
        });
        return problems;
    }

    /**
     * Puts a change in force. Values of secrets that are too old do not come into force.
     *
     * @param at when the control plane said that these hold
     * @return the accounts of which nothing could be made
     */
    synchronized Set<String> take(Change change, long number, Instant at) {
        try {
            put(change, number, at);
            return Set.of();
        } catch (RuntimeException e) {
            return takeAlone(change, number, at, e);
        }
    }

    private Set<String> takeAlone(Change change, long number, Instant at, RuntimeException fault) {
        LOG.warn("accounts cannot be applied together; each is applied by itself", fault);
        for (String id : change.gone()) {
            put(new Change(List.of(id), List.of()), number, at);
        }
        Set<String> failed = new HashSet<>();
        for (HeldAccount account : change.accounts()) {
            try {
                put(new Change(List.of(), List.of(account)), number, at);
            } catch (RuntimeException e) {
                LOG.error("account {} cannot be applied, and its callers are refused", account.id(), e);
                failed.add(account.id());
                put(new Change(List.of(account.id()), List.of()), number, at);
            }
        }
        return failed;
    }

    private void put(Change change, long number, Instant at) {
        PipelineUpdate.Builder update = PipelineUpdate.builder().revision(number);
        Map<String, HeldAccount> next = new LinkedHashMap<>();
        Set<String> leaving = new HashSet<>(change.gone());
        for (String id : leaving) {
            Held held = accounts.get(id);
            if (held != null) {
                held.account().outOf(update);
            }
        }
        for (HeldAccount account : change.accounts()) {
            Held held = accounts.get(account.id());
            HeldAccount taken = isTooOld(account, at) ? account.withoutValues() : account;
            taken.into(update, held == null ? null : held.account(), WHY_EXPIRED);
            next.put(account.id(), taken);
        }
        next.values().forEach(account -> note(null, account)); // before its first record
        Applied applied = apply(update);
        leaving.removeAll(next.keySet());
        leaving.forEach(this::forget);
        next.forEach((id, account) -> {
            Held before = accounts.get(id);
            note(before == null ? null : before.account(), account);
            accounts.put(id, new Held(account, at, problems(before, account, applied), false));
            doubtful.remove(id);
        });
    }

    /** Of what is as it was, the proxy does not say again what is wrong with it. */
    private static List<ConfigProblem> problems(@Nullable Held before, HeldAccount account, Applied applied) {
        Set<ConfigProblem> found = new HashSet<>();
        account.names().forEach(name -> found.addAll(applied.problems().getOrDefault(name, List.of())));
        if (found.isEmpty() && before != null) {
            String earlier = before.account().snapshot().pipelineHash();
            return earlier.equals(account.snapshot().pipelineHash()) ? before.problems() : List.of();
        }
        return found.stream().sorted().toList();
    }

    private void forget(String id) {
        Held gone = accounts.remove(id);
        doubtful.remove(id);
        if (gone != null) {
            note(gone.account(), null);
        }
    }

    /** The owners are read by the thread that writes records. */
    private void note(@Nullable HeldAccount before, @Nullable HeldAccount next) {
        synchronized (owners) {
            if (before != null) {
                before.names().forEach(name -> {
                    owners.remove(name);
                    formerOwners.put(name, before.id());
                });
            }
            if (next != null) {
                next.names().forEach(name -> owners.put(name, next.id()));
            }
        }
    }

    @Override
    public @Nullable String of(AuditRecord record) {
        if (record.isUntold()) {
            return null;
        }
        synchronized (owners) {
            String owner = owners.get(record.workload());
            return owner == null ? formerOwners.get(record.workload()) : owner;
        }
    }

    /** Everybody who is known is served from now on. */
    synchronized void serve() {
        if (withheld) {
            apply(PipelineUpdate.builder().ready(true));
            withheld = false;
        }
    }

    /**
     * The control plane says that all hold, but for these.
     *
     * @return whether that is so of all: false when some have ended here meanwhile, and have to come again
     */
    synchronized boolean confirm(Set<String> unconfirmed) {
        Instant now = Instant.now();
        for (String id : unconfirmed) {
            Held held = accounts.get(id);
            if (held != null && doubtful.add(id)) {
                accounts.put(id, held.at(confirmed(held)));
            }
        }
        doubtful.removeIf(id -> {
            Held held = accounts.get(id);
            if (unconfirmed.contains(id) || held == null) {
                return held == null;
            }
            accounts.put(id, held.at(now));
            return true;
        });
        confirmed = now;
        return accounts.entrySet().stream()
                .noneMatch(each -> each.getValue().over() && !unconfirmed.contains(each.getKey()));
    }

    /**
     * The control plane says that what is held of these is what they are to have.
     *
     * @return false when some are not there any more, or not whole, and have to come again
     */
    synchronized boolean confirmAlone(Set<String> ids) {
        Instant now = Instant.now();
        for (String id : ids) {
            Held held = accounts.get(id);
            if (held == null
                    || held.over()
                    || held.account().snapshot().credentials().expired()) {
                return false;
            }
            accounts.put(id, held.at(now));
            doubtful.remove(id);
        }
        return true;
    }

    /** As {@link #confirm}, at an earlier time, of which a file tells. */
    synchronized void confirmedAt(Instant at) {
        confirmed = at;
    }

    /** When the control plane last said that an account holds; the epoch of time where there is none. */
    synchronized Instant confirmed(String id) {
        Held held = accounts.get(id);
        return held == null ? Instant.EPOCH : confirmed(held);
    }

    private Instant confirmed(Held held) {
        return doubtful.contains(held.account().id()) || held.at().isAfter(confirmed) ? held.at() : confirmed;
    }

    private boolean isTooOld(HeldAccount account, Instant at) {
        return account.snapshot().credentials().mayExpire()
                && at.plus(config.credentialsMaxAge()).isBefore(Instant.now());
    }

    /** What has become of what was held for too long. */
    record Expiry(Set<String> ended, List<HeldAccount> withoutValues) {

        static final Expiry NOTHING = new Expiry(Set.of(), List.of());
    }

    /**
     * What has been held for too long without a word of the control plane holds no more: first the values of secrets, then
     * all.
     */
    synchronized Expiry expire() {
        if (withheld) {
            return Expiry.NOTHING;
        }
        Instant now = Instant.now();
        if (confirmed.plus(config.maxOffline()).isBefore(now)) {
            LOG.error(
                    "the control plane has not been reached for {}: everything is refused",
                    Durations.format(config.maxOffline()));
            withhold();
            return Expiry.NOTHING;
        }
        Set<String> ended = new HashSet<>();
        List<HeldAccount> stripped = new ArrayList<>();
        accounts.forEach((id, held) -> {
            if (confirmed(held).plus(config.maxOffline()).isBefore(now)) {
                if (!held.over()) {
                    ended.add(id);
                }
            } else if (isTooOld(held.account(), confirmed(held))) {
                stripped.add(held.account().withoutValues());
            }
        });
        if (!stripped.isEmpty()) {
            LOG.error(
                    "the control plane has not confirmed {} accounts for {}: their requests that need a secret are refused",
                    stripped.size(),
                    Durations.format(config.credentialsMaxAge()));
            strip(stripped);
        }
        if (!ended.isEmpty()) {
            LOG.error(
                    "the control plane has not confirmed {} accounts for {}: their callers are refused everything",
                    ended.size(),
                    Durations.format(config.maxOffline()));
            end(PipelineUpdate.builder(), ended);
        }
        return new Expiry(ended, stripped);
    }

    /** Whoever is known stays so: they are told that they are refused, and not that they are nobody. */
    private void end(PipelineUpdate.Builder update, Collection<String> ids) {
        Map<String, Held> over = new HashMap<>();
        for (String id : ids) {
            Held held = accounts.get(id);
            if (held != null) {
                Held ended = held.end();
                ended.account().into(update, held.account(), WHY_EXPIRED);
                over.put(id, ended);
            }
        }
        apply(update);
        accounts.putAll(over);
    }

    private void strip(List<HeldAccount> without) {
        PipelineUpdate.Builder update = PipelineUpdate.builder();
        for (HeldAccount account : without) {
            account.secretsInto(update, get(account.id()), WHY_EXPIRED);
        }
        apply(update);
        for (HeldAccount account : without) {
            accounts.computeIfPresent(account.id(), (id, held) -> held.with(account));
        }
    }

    /** Refuses everybody from now on, forgets all but who they are, and ends what is under way. */
    synchronized void withhold() {
        end(PipelineUpdate.builder().ready(false), List.copyOf(accounts.keySet()));
        withheld = true;
    }

    private Applied apply(PipelineUpdate.Builder update) {
        try {
            return door.apply(update.build()).toCompletableFuture().join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }
}
