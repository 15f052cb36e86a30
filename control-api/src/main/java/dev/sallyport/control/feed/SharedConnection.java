package dev.sallyport.control.feed;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.control.crypto.RecipientKey;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.proxy.Proxies;
import dev.sallyport.control.proxy.Proxy;
import dev.sallyport.control.proxy.ProxyIdentity;
import dev.sallyport.control.proxy.SharedProxies;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection of a proxy that all accounts share. Each account has a session of its own, so that what changes of one is
 * sent alone. Several accounts go in one event; events are numbered, and acknowledged by the number of the last. Of those
 * that are sent, a few are on their way. Thread-safe; what goes on here does so on one thread of all shared connections.
 */
final class SharedConnection extends ProxyConnection {

    private static final Logger LOG = LoggerFactory.getLogger(SharedConnection.class);

    /** Events that are on their way. */
    private static final int WINDOW = 4;

    /** How long an event is, in characters, unless one account makes it longer. */
    private static final int LONGEST = 256 << 10;

    /** After this it is looked whether another process was told. */
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final FeedSite site;
    private final SharedCallers shared;
    private final @Nullable CredentialEvents credentials;

    /** What the proxy has brought; of the thread of the rounds. */
    private final Map<String, ProxyConnections.HeldAccount> brought;

    private final Map<String, AccountStream> accounts = new ConcurrentHashMap<>();

    /** As the proxy has told them last; null before it has. */
    private volatile @Nullable List<Proxy.Problem> problems;

    private volatile long number;
    private volatile long acknowledged;

    /** When the event was sent that has waited longest; 0 for none. */
    private volatile long waitingSince;

    // Of the thread.
    private final Set<AccountStream> due = new LinkedHashSet<>();
    private final Deque<Sent> onTheWay = new ArrayDeque<>();
    private boolean begun;
    private boolean over;

    private record Sent(long number, List<AccountStream.Part> parts, long at) {}

    /**
     * @param brought what the proxy says it has of accounts
     * @param key that the proxy made when it started; null for a proxy that gets no secrets
     */
    SharedConnection(
            FeedSite site,
            SharedCallers shared,
            ProxyIdentity proxy,
            Map<String, ProxyConnections.HeldAccount> brought,
            @Nullable RecipientKey key,
            Outlet outlet) {
        super(proxy, outlet);
        this.brought = new HashMap<>(brought);
        this.site = site;
        this.shared = shared;
        this.credentials = key == null ? null : new CredentialEvents(key, proxy.id(), site.epoch());
    }

    @Override
    void begin() {
        shared.arrive(this);
    }

    @Override
    void leave() {
        shared.leave(this);
        run(this::abandon);
        accounts.values().forEach(account -> site.fanout().disconnect(account.session()));
    }

    private void run(Runnable work) {
        shared.run(this, work);
    }

    // On the thread of the rounds.

    /** Serves these accounts, and no others. */
    void serve(Map<String, AccountCallers> present, SharedScopes scopes) {
        List<AccountStream> all = new ArrayList<>();
        present.forEach((organization, callers) -> all.add(stream(scopes.of(organization), callers)));
        Set<String> only = Set.copyOf(present.keySet());
        run(() -> {
            begun = true;
            send(List.of(), only);
        });
        all.forEach(this::connect);
    }

    /** For whom pipelines at this proxy are compiled. */
    interface SharedScopes {
        Scope of(String organization);
    }

    private AccountStream stream(Scope scope, AccountCallers callers) {
        AccountStream stream = new AccountStream(site, proxy().id(), scope, callers, credentials, this::due);
        stream.isHeldAs(brought.remove(scope.organization()));
        accounts.put(scope.organization(), stream);
        return stream;
    }

    private void connect(AccountStream stream) {
        site.fanout().connect(stream.session());
        if (isOver()) { // meanwhile
            site.fanout().disconnect(stream.session());
        }
    }

    boolean serves(String organization) {
        return accounts.containsKey(organization);
    }

    /** Says who may come in for an account; completes when the proxy goes by it. */
    CompletionStage<Void> tell(String organization, AccountCallers callers, SharedScopes scopes) {
        CompletableFuture<Void> told = new CompletableFuture<>();
        AccountStream present = accounts.get(organization);
        AccountStream stream = present == null ? stream(scopes.of(organization), callers) : present;
        runOr(told, () -> {
            stream.tell(callers, told);
            due.add(stream);
            pump();
        });
        if (present == null) {
            connect(stream);
        }
        return told;
    }

    /** Has the proxy forget an account; completes when it has. */
    CompletionStage<Void> remove(String organization) {
        CompletableFuture<Void> told = new CompletableFuture<>();
        AccountStream stream = accounts.remove(organization);
        if (stream == null) {
            told.complete(null);
            return told;
        }
        site.fanout().disconnect(stream.session());
        runOr(told, () -> {
            stream.go(told);
            due.add(stream);
            pump();
        });
        return told;
    }

    private void runOr(CompletableFuture<Void> told, Runnable work) {
        run(() -> {
            if (over) {
                told.complete(null); // the proxy will begin anew
            } else {
                work.run();
            }
        });
    }

    /** Tells it that it is no longer served. */
    void revoke() {
        outlet().send("revoked", "{}");
        endAnswer();
    }

    // From anywhere.

    private void due(AccountStream stream) {
        run(() -> {
            due.add(stream);
            pump();
        });
    }

    @Override
    void beat(boolean current, List<Proxies.Seen> seen) {
        seen.add(new Proxies.Seen(proxy().id(), stream(), acknowledged));
        run(() -> beat(current));
    }

    @Override
    void acknowledged(ProxyConnections.Applied applied) {
        if (applied.revision() > number) {
            throw Refusal.invalid("revision", "a number that no event has (expected: that of the last one)");
        }
        List<Proxy.Problem> present = applied.problems().stream()
                .map(problem -> {
                    AccountStream account = accounts.get(problem.account());
                    return problem.problem(account == null ? null : account.origin(problem.pointer()));
                })
                .toList();
        Set<SharedProxies.Failure> failures = applied.failed().stream()
                .map(account -> new SharedProxies.Failure(applied.revision(), account))
                .collect(Collectors.toCollection(HashSet::new));
        long known = acknowledged;
        if (applied.revision() > known + 1) { // another process may have been told of those between
            failures.addAll(site.shared().failures(proxy().id(), stream(), known));
            problems = null;
        }
        if (!present.equals(problems)) {
            site.proxies().applied(proxy(), stream(), applied.revision(), present);
            problems = present;
        }
        run(() -> acknowledge(applied.revision(), failures));
    }

    /** How a workload stands here; null while its account has none here. */
    @Nullable SharedStanding standing(String organization, String workload) {
        AccountStream account = accounts.get(organization);
        if (account == null) {
            return null;
        }
        String own = organization + ":";
        List<Proxy.Problem> all = new ArrayList<>(account.problems());
        List<Proxy.Problem> told = problems;
        if (told != null) {
            told.stream()
                    .filter(problem -> problem.pointer().startsWith(own))
                    .map(problem -> new Proxy.Problem(
                            problem.policyId(), problem.pointer().substring(own.length()), problem.message()))
                    .forEach(all::add);
        }
        long applied = account.applied(workload);
        return new SharedStanding(proxy().id(), applied == 0 ? null : (Long) applied, all);
    }

    /** Looks whether the proxy has told another process what it has applied; blocks. */
    void lookElsewhere() {
        long since = waitingSince;
        if (since == 0 || System.nanoTime() - since < LATE_NANOS) {
            return;
        }
        Optional<SharedProxies.Told> found = site.shared().told(proxy().id(), stream(), acknowledged);
        if (found.isEmpty()) {
            LOG.info("proxy {} has connected elsewhere; this connection is ended", proxy().id());
            endAnswer();
            return;
        }
        SharedProxies.Told told = found.get();
        if (told.number() > acknowledged) {
            problems = told.problems();
            run(() -> acknowledge(Math.min(told.number(), number), told.failures()));
        }
    }

    @Override
    void lookForLate() {
        run(() -> {
            accounts.values().stream().filter(AccountStream::isHeld).forEach(due::add);
            pump();
        });
        long since = waitingSince;
        if (since != 0 && System.nanoTime() - since > LOST_NANOS) {
            LOG.warn("proxy {} has not acknowledged accounts; its connection is ended", proxy().id());
            endAnswer();
        }
    }

    // On the thread.

    private void pump() {
        while (begun && !over && !due.isEmpty() && onTheWay.size() < WINDOW) {
            List<AccountStream.Part> parts = new ArrayList<>();
            long length = 0;
            Iterator<AccountStream> next = due.iterator();
            while (next.hasNext() && length < LONGEST) {
                AccountStream stream = next.next();
                next.remove(); // what is on its way is due again when it has been acknowledged
                AccountStream.Part part = stream.isGone() ? stream.farewell() : stream.next();
                if (part != null) {
                    parts.add(part);
                    length += part.json().length() + stream.organization().length();
                }
            }
            if (!parts.isEmpty()) {
                send(parts, null);
            }
        }
    }

    /** @param only the accounts that the proxy may have at all; null for any */
    private void send(List<AccountStream.Part> parts, @Nullable Collection<String> only) {
        long next = number + 1;
        number = next;
        ObjectNode head = JsonNodeFactory.instance
                .objectNode()
                .put("epoch", site.epoch())
                .put("number", next)
                .put("valid_until", site.validUntil());
        if (only != null) {
            only.forEach(head.putArray("only")::add);
        }
        ArrayNode gone = head.putArray("gone");
        ArrayNode kept = head.putArray("kept");
        List<String> told = new ArrayList<>();
        for (AccountStream.Part part : parts) {
            switch (part.kind()) {
                case GONE -> gone.add(part.of().organization());
                case KEPT -> kept.add(part.of().organization());
                case CHANGED -> told.add(part.json());
            }
        }
        String text = head.toString();
        outlet().send(
                        "accounts",
                        text.substring(0, text.length() - 1) + ",\"accounts\":[" + String.join(",", told) + "]}");
        site.meters().sent();
        long now = System.nanoTime();
        onTheWay.add(new Sent(next, parts, now));
        if (waitingSince == 0) {
            waitingSince = now;
        }
    }

    private void acknowledge(long upTo, Set<SharedProxies.Failure> failures) {
        while (!onTheWay.isEmpty() && onTheWay.peek().number() <= upTo) {
            Sent sent = onTheWay.remove();
            for (AccountStream.Part part : sent.parts()) {
                if (part.kind() == AccountStream.Kind.CHANGED
                        && failures.contains(new SharedProxies.Failure(
                                sent.number(), part.of().organization()))) {
                    part.of().failed(part);
                } else {
                    part.of().acknowledged(part);
                }
                if (!part.of().isGone()) {
                    due.add(part.of());
                }
            }
        }
        acknowledged = Math.max(acknowledged, upTo);
        waitingSince = onTheWay.isEmpty() ? 0 : onTheWay.peek().at();
        pump();
    }

    private void beat(boolean current) {
        if (!begun || over) {
            return;
        }
        if (!current) {
            outlet().send("busy", "{}");
            return;
        }
        ObjectNode event =
                JsonNodeFactory.instance.objectNode().put("number", number).put("valid_until", site.validUntil());
        ArrayNode unconfirmed = event.putArray("unconfirmed");
        accounts.values().stream()
                .filter(account -> !account.isSettled())
                .forEach(account -> unconfirmed.add(account.organization()));
        outlet().send("heartbeat", event.toString());
    }

    /** The connection is over. */
    private void abandon() {
        over = true;
        onTheWay.forEach(sent -> sent.parts().forEach(part -> {
            part.told().forEach(told -> told.complete(null));
            part.of().abandon();
        }));
        onTheWay.clear();
        due.forEach(AccountStream::abandon);
        due.clear();
        accounts.values().forEach(AccountStream::abandon);
    }
}
