package dev.sallyport.control.feed;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.sallyport.control.proxy.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An account at a proxy that all accounts share: what the proxy has of it, and what it is to have. What it is to have comes
 * from any thread; what it has is of the thread of shared connections.
 */
final class AccountStream implements ProxySession.Receiver {

    private final FeedSite site;
    private final String organization;
    private final ProxySession session;
    private final @Nullable CredentialEvents credentials;
    private final Consumer<AccountStream> due;

    private volatile @Nullable Snapshot wanted;

    /** What the proxy has brought of it; null once something was said, and for nothing. */
    private ProxyConnections.@Nullable HeldAccount brought;

    // Changed by the thread alone.
    private volatile @Nullable Snapshot sent;
    private AccountCallers callers;
    private @Nullable AccountCallers sentCallers;
    private volatile @Nullable AccountCallers confirmedCallers;
    private List<CompletableFuture<Void>> waiting = new ArrayList<>();
    private boolean inFlight;
    private boolean gone;
    private boolean held;
    private long sealed;

    /**
     * An account of which nothing has been said yet.
     *
     * @param proxy names the session
     * @param credentials seals its secrets; null for a proxy that gets none
     * @param due is told when there is something to be said; any thread, must not block
     */
    AccountStream(
            FeedSite site,
            String proxy,
            Scope scope,
            AccountCallers callers,
            @Nullable CredentialEvents credentials,
            Consumer<AccountStream> due) {
        this.site = site;
        this.organization = scope.organization();
        this.callers = callers;
        this.credentials = credentials;
        this.due = due;
        this.session = site.fanout().session(proxy, () -> Optional.of(scope), "", this);
    }

    /** The proxy says that it has this of it; before anything is said. */
    void isHeldAs(ProxyConnections.@Nullable HeldAccount account) {
        brought = account;
    }

    String organization() {
        return organization;
    }

    ProxySession session() {
        return session;
    }

    @Override
    public boolean takesCredentials() {
        return credentials != null;
    }

    @Override
    public void snapshot(ProxySession of, Snapshot snapshot) {
        wanted = snapshot;
        due.accept(this);
    }

    // On the thread.

    /** Has the proxy be told who may come in; the future completes when it goes by that. */
    void tell(AccountCallers next, CompletableFuture<Void> told) {
        callers = next;
        waiting.add(told);
    }

    /** Has the proxy forget it. */
    void go(CompletableFuture<Void> told) {
        gone = true;
        waiting.add(told);
    }

    boolean isGone() {
        return gone;
    }

    /** Whether something could not be said, and has to be tried again. */
    boolean isHeld() {
        return held;
    }

    /** Whether the proxy has all that it is to have, and has said so. */
    boolean isSettled() {
        return !inFlight && !gone && session.beat(true) != null && callers.equals(sentCallers);
    }

    /** The policy that a place in its pipeline comes from; null when it is none alone. */
    @Nullable String origin(String pointer) {
        Snapshot present = sent;
        return present == null ? null : present.pipeline().origin(pointer);
    }

    /** The number up to which the proxy has applied all changes, of a workload that it knows; 0 for none. */
    long applied(String workload) {
        AccountCallers confirmed = confirmedCallers;
        return confirmed != null && confirmed.hasWorkload(workload) ? session.applied() : 0;
    }

    /** What of its policies could not be compiled. */
    List<Proxy.Problem> problems() {
        Snapshot present = sent;
        return present == null ? List.of() : present.pipeline().told();
    }

    /** What is said. */
    enum Kind {
        CHANGED,
        /** What the proxy has of it is what it is to have. */
        KEPT,
        GONE
    }

    /**
     * Something that is said of it, until it is acknowledged.
     *
     * @param json what has changed; empty for nothing
     * @param snapshot what of it is acknowledged; null when that is as before
     */
    record Part(
            AccountStream of,
            Kind kind,
            String json,
            @Nullable Snapshot snapshot,
            List<CompletableFuture<Void>> told) {}

    /** That it is gone. */
    Part farewell() {
        return new Part(this, Kind.GONE, "", null, takeWaiting());
    }

    private List<CompletableFuture<Void>> takeWaiting() {
        List<CompletableFuture<Void>> taken = waiting;
        waiting = new ArrayList<>();
        return taken;
    }

    /** What is new of it since the last one, which has been acknowledged; null for nothing, or nothing yet. */
    @Nullable Part next() {
        Snapshot to = wanted;
        if (inFlight || gone || to == null) {
            return null;
        }
        ProxyConnections.HeldAccount base = brought;
        String secrets = "";
        held = false;
        if (base == null ? !to.equals(sent) : !base.hasSecretsOf(to)) {
            String made = secrets(sent, to);
            if (made == null) {
                to = sent; // who may come in does not wait for secrets
            } else {
                secrets = made;
            }
        }
        if (to == null) {
            return null;
        }
        boolean same = base == null ? to.equals(sent) : base.hash().equals(to.hash());
        if (same && (base == null ? callers.equals(sentCallers) : base.callers().equals(callers.hash()))) {
            if (base == null) {
                takeWaiting().forEach(told -> told.complete(null));
                return null;
            }
            return said(Kind.KEPT, "", to, to);
        }
        ObjectNode account = JsonNodeFactory.instance
                .objectNode()
                .put("account", organization)
                .put("format", 1)
                .put("epoch", site.epoch())
                .put("revision", to.revision())
                .put("hash", to.hash());
        callers.putInto(account);
        if (!secrets.isEmpty()) {
            account.putRawValue("secrets", new RawValue(secrets));
        }
        if (base != null && base.pipeline().equals(to.pipeline().hash())) {
            account.put("pipeline_hash", base.pipeline());
        } else {
            site.forms().put(account, sent == null ? null : sent.pipeline(), to.pipeline());
        }
        return said(Kind.CHANGED, account.toString(), to, same && base == null ? null : to);
    }

    private Part said(Kind kind, String json, Snapshot present, @Nullable Snapshot acknowledged) {
        Part part = new Part(this, kind, json, acknowledged, takeWaiting());
        inFlight = true;
        brought = null;
        sent = present;
        sentCallers = callers;
        return part;
    }

    /** The text of what is new of secrets, empty for nothing; null when it cannot be said now. */
    private @Nullable String secrets(@Nullable Snapshot before, Snapshot next) {
        CredentialEvents sealing = credentials;
        if (sealing == null) {
            return "";
        }
        CredentialEvents.Delta delta =
                CredentialEvents.Delta.of(before == null ? null : before.credentials(), next.credentials());
        if (delta.isEmpty()) {
            return "";
        }
        long size = delta.size();
        if (!site.sealed().take(organization, size)) {
            held = true;
            return null;
        }
        String event = sealing.event(delta, next.credentials());
        if (event == null) {
            site.sealed().give(organization, size);
            wanted = before; // those that can be read come in the next round
            session.failed();
            return null;
        }
        sealed = size;
        site.meters().sealed(delta.changes().size());
        return event;
    }

    /** The proxy goes by what it was told. */
    void acknowledged(Part part) {
        giveBack();
        inFlight = false;
        confirmedCallers = sentCallers;
        part.told().forEach(told -> told.complete(null));
        if (part.snapshot() != null) {
            session.acknowledge(part.snapshot().revision());
        }
    }

    /** The proxy could make nothing of it, and has nothing of it now. */
    void failed(Part part) {
        giveBack();
        inFlight = false;
        sent = null;
        sentCallers = null;
        confirmedCallers = null;
        wanted = null;
        part.told().forEach(told -> told.complete(null));
        session.failed();
    }

    private void giveBack() {
        if (sealed > 0) {
            site.sealed().give(organization, sealed);
            sealed = 0;
        }
    }

    /** Nothing is said of it any more. */
    void abandon() {
        giveBack();
        takeWaiting().forEach(told -> told.complete(null));
    }
}
