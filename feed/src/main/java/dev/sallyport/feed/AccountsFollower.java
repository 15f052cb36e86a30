package dev.sallyport.feed;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.spi.ConfigException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Goes by the accounts that share a proxy of the installation. Each event has some of them, as far as they have changed, and a
 * number, by which it is acknowledged; the first of a connection says which accounts there are at all. Those of which the
 * proxy has said what it has, and has all, are named alone. Secrets come with their account, sealed for a key that this proxy
 * makes when it starts.
 */
final class AccountsFollower implements Follower {

    private static final Logger LOG = LoggerFactory.getLogger(AccountsFollower.class);

    private static final Duration KEEP_AGAIN = Duration.ofMinutes(5);

    private final ControlPlaneConfig config;
    private final HeldAccounts held;
    private final ControlPlaneConnection connection;
    private final BootKey key;

    /** What is kept for the next start; null for nothing. */
    private final @Nullable CacheKeeper keeper;

    private volatile boolean openedLate;
    private Instant confirmedAt = Instant.EPOCH;
    private Greeting greeting = Greeting.NONE;
    private long number;

    /** Whether all that there was when the connection began has come. */
    private boolean whole;

    /** The accounts that are still to come before that is so. */
    private final Set<String> awaited = new HashSet<>();

    /** @param keeper of what is kept for the next start; null for nothing */
    AccountsFollower(
            ControlPlaneConfig config,
            HeldAccounts held,
            ControlPlaneConnection connection,
            BootKey key,
            @Nullable CacheKeeper keeper) {
        this.keeper = keeper;
        this.config = config;
        this.held = held;
        this.connection = connection;
        this.key = key;
    }

    @Override
    public void prepare() throws ConfigException {
        held.begin();
        if (keeper != null) {
            keeper.open(this::opened);
            begin();
        }
    }

    /** What is held can be kept from now on. What was kept before is looked at by the thread that applies. */
    private void opened() {
        openedLate = true;
        keep(Set.of(), held.all(), Set.of());
    }

    @Override
    public void prepareLate() {
        if (openedLate) {
            openedLate = false;
            if (held.ids().isEmpty()) {
                begin();
            }
        }
    }

    /** Starts with what was kept. */
    private void begin() {
        try {
            AccountsCache cache = keeper == null ? null : keeper.accounts();
            AccountsCache.All all = cache == null ? null : cache.read();
            if (all == null) {
                return;
            }
            Instant oldest = Instant.now().minus(config.maxOffline());
            if (all.at().isBefore(oldest)) {
                LOG.warn("the accounts that were kept are of {}: too old to be used", all.at());
                return;
            }
            held.confirmedAt(all.at());
            all.accounts().stream()
                    .filter(kept -> kept.at().isAfter(oldest))
                    .collect(Collectors.groupingBy(
                            AccountsCache.Kept::at,
                            Collectors.mapping(AccountsCache.Kept::account, Collectors.toList())))
                    .forEach((at, accounts) -> held.take(new HeldAccounts.Change(List.of(), accounts), 0, at));
            held.serve();
            LOG.info("accounts of {} are in force until the control plane answers", all.at());
        } catch (IOException e) {
            LOG.warn("the accounts that were kept are not used: {}", e.getMessage());
        }
    }

    @Override
    public Holding held() {
        return Holding.OfAccounts.of(held.all());
    }

    @Override
    public void greeted(Greeting next) {
        greeting = next;
        number = 0;
        awaited.clear();
        whole = false;
    }

    @Override
    public boolean received(EventReader.Event event) throws IOException, InterruptedException {
        switch (event.name()) {
            case "accounts" -> accounts(Pipelines.JSON.readTree(event.data()));
            case "heartbeat" -> confirmed(Pipelines.JSON.readTree(event.data()));
            default -> {
                LOG.debug("an unknown event: {}", event.name());
                return false;
            }
        }
        return true;
    }

    private void accounts(JsonNode json) throws IOException, InterruptedException {
        number++;
        if (json.path("number").asLong() != number) {
            throw new IOException("event " + json.path("number").asText() + " of accounts (expected: " + number + ")");
        }
        Set<String> gone = texts(json.path("gone"));
        if (json.has("only")) {
            Set<String> only = texts(json.path("only"));
            held.ids().stream().filter(id -> !only.contains(id)).forEach(gone::add);
            awaited.addAll(only);
            dropOthers(only);
        }
        Set<String> kept = texts(json.path("kept"));
        if (!held.confirmAlone(kept)) {
            throw new IOException("accounts are taken to be here that are not: they are asked for again");
        }
        awaited.removeAll(kept);
        Set<String> failed = new HashSet<>();
        List<HeldAccount> come = new ArrayList<>();
        for (JsonNode account : json.path("accounts")) {
            String id = identifier(account);
            awaited.remove(id);
            try {
                come.add(HeldAccount.of(account, gone.contains(id) ? null : held.get(id), key, greeting));
            } catch (UnusableSnapshotException e) {
                LOG.error("account {} cannot be used, and its callers are refused: {}", id, e.getMessage());
                failed.add(id);
                gone.add(id);
            }
        }
        awaited.removeAll(gone);
        List<HeldAccount> changed = come.stream()
                .filter(account -> !account.saysTheSame(held.get(account.id())))
                .toList();
        failed.addAll(held.take(new HeldAccounts.Change(gone, come), number, Instant.now()));
        keep(gone, changed, failed);
        if (awaited.isEmpty() && !whole) {
            whole(Set.of());
        }
        acknowledge(failed);
    }

    private static String identifier(JsonNode account) throws IOException {
        try {
            return HeldAccount.id(account);
        } catch (UnusableSnapshotException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static Set<String> texts(JsonNode list) {
        Set<String> texts = new HashSet<>();
        list.forEach(each -> texts.add(each.asText()));
        return texts;
    }

    /** All that is to come has come, but for some; everybody is served. */
    private void whole(Set<String> unconfirmed) throws IOException {
        whole = true;
        confirm(unconfirmed);
        held.serve();
        keepConfirmation(unconfirmed);
    }

    private void confirmed(JsonNode json) throws IOException {
        if (json.path("number").asLong(-1) != number) {
            throw new IOException("the control plane takes this proxy to have what it has not");
        }
        Set<String> unconfirmed = texts(json.path("unconfirmed"));
        if (whole && confirmedAt.plus(KEEP_AGAIN).isAfter(Instant.now())) {
            confirm(unconfirmed);
        } else {
            whole(unconfirmed);
        }
    }

    private void confirm(Set<String> unconfirmed) throws IOException {
        if (!held.confirm(unconfirmed)) {
            throw new IOException("accounts hold that have ended here: all are asked for again");
        }
    }

    private void acknowledge(Set<String> failed) throws IOException, InterruptedException {
        List<ControlPlaneConnection.Fault> faults = new ArrayList<>();
        held.problems().forEach((account, problems) -> {
            faults.addAll(ControlPlaneConnection.Fault.of(account, problems));
            problems.forEach(problem -> LOG.error(
                    "the pipeline of account {} cannot be built, and it is refused everything: {}: {}",
                    account,
                    problem.pointer(),
                    problem.message()));
        });
        connection.acknowledge(greeting.epoch(), number, greeting.stream(), faults, failed);
    }

    @Override
    public boolean expire() {
        HeldAccounts.Expiry expiry = held.expire();
        keep(Set.of(), expiry.withoutValues(), Set.of());
        return !expiry.withoutValues().isEmpty();
    }

    @Override
    public void end() {
        held.withhold();
        if (keeper != null) {
            synchronized (this) {
                keeper.wipe(); // after what is being kept
            }
        }
    }

    private void dropOthers(Set<String> only) {
        write("the accounts that were kept cannot be removed", keeping -> keeping.removeOthers(only));
    }

    private void keep(Set<String> gone, List<HeldAccount> come, Set<String> failed) {
        if (gone.isEmpty() && come.isEmpty()) {
            return;
        }
        write("accounts cannot be kept for the next start", keeping -> {
            for (String id : gone) {
                keeping.remove(id);
            }
            for (HeldAccount account : come) {
                if (failed.contains(account.id())) {
                    keeping.remove(account.id());
                } else {
                    keeping.keep(account, held.confirmed(account.id()));
                }
            }
        });
    }

    private void keepConfirmation(Set<String> unconfirmed) {
        confirmedAt = Instant.now();
        write("it cannot be kept that accounts hold", keeping -> keeping.confirm(confirmedAt, unconfirmed));
    }

    /** Something that is done to the cache. */
    private interface Writing {
        void to(AccountsCache keeping) throws IOException;
    }

    private synchronized void write(String fault, Writing writing) {
        try {
            AccountsCache keeping = keeper == null ? null : keeper.accounts();
            if (keeping != null) {
                writing.to(keeping);
            }
        } catch (IOException e) {
            LOG.error("{}: {}", fault, e.toString());
        }
    }
}
