package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.core.audit.AuditSlot;
import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.core.pipeline.ExchangeFacts;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.core.upstream.OriginEndpoint;
import dev.sallyport.core.upstream.Route;
import dev.sallyport.core.upstream.TunnelListener;
import dev.sallyport.core.upstream.UpstreamFailure;
import dev.sallyport.spi.Connection;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/**
 * One connection that is passed through untouched, with TLS or {@linkplain OtherTcp something else}: the whole request
 * pipeline judges a request of which only the host is known, then the connection is coupled with its origin. Confined to
 * one event loop.
 *
 * <p>The lease on the generation ends with the verdict. The audit slot is given back while the relay runs, which may be
 * hours: the record waits for another one, and of such records there are never more than connections. A later
 * generation judges the same request anew when it is asked to.
 *
 * <p>One that begins {@linkplain EarlyPassage early} is judged and dialled like others. If it is refused, it holds nothing
 * from then on, and the refusal waits until it is settled what is spoken.
 */
final class PassthroughExchange extends Recheckable implements HostOnlyRequest.Verdict, TunnelListener, EarlyPassage {

    private final ExchangeServices services;
    private final PassthroughClient client;
    private final ExchangeFacts facts;
    private final PassedProtocol protocol;
    private final MutableAuditRecord record;
    private final long startNanos = System.nanoTime();

    /** The generation that judged it first. */
    private final int admittedBy;

    /** Null after the verdict: a relay keeps no generation alive. */
    private @Nullable HostOnlyRequest judging;

    /** A later generation at work; null while there is none. */
    private @Nullable HostOnlyRequest judgingAnew;

    /** The refusal for which a relay is being broken off. */
    private @Nullable Denial refusedAnew;

    private @Nullable Runnable cancelOpening;
    private boolean editsIgnored;
    private boolean relaying;

    /** Whether it is not settled yet what is spoken. */
    private boolean early;

    /** The refusal that has come meanwhile. */
    private @Nullable Denial postponed;

    /** The slot for the record; null while the relay runs. */
    private @Nullable AuditSlot slot;

    private boolean over;

    /** @param early whether the client has not said yet what is spoken */
    PassthroughExchange(
            ExchangeServices services,
            Generation generation,
            PassthroughClient client,
            ExchangeFacts facts,
            PassedProtocol protocol,
            AuditSlot slot,
            MutableAuditRecord record,
            boolean early) {
        this.services = services;
        this.client = client;
        this.facts = facts;
        this.protocol = protocol;
        this.slot = slot;
        this.record = record;
        this.early = early;
        this.admittedBy = generation.number();
        this.judging = new HostOnlyRequest(services, generation, facts, record, this);
    }

    void start() {
        services.rechecks().add(this);
        HostOnlyRequest begun = judging;
        if (begun != null) {
            begun.start();
        }
    }

    // The verdict.

    @Override
    public void allowed(boolean edited) {
        judging = null;
        editsIgnored = edited;
        Route route = Route.chosenByWorkload(facts.destination(), principal().workload(), facts.client());
        cancelOpening = services.upstreams().tunnel(facts.loop(), route, this);
    }

    @Override
    public void denied(Denial denial) {
        judging = null;
        denial.note(record);
        refuse(denial);
    }

    private void refuse(Denial denial) {
        if (over) {
            return;
        }
        if (early) {
            postpone(denial);
        } else {
            close(denial.action(), denial.refusal().status());
            client.refuse(denial.alert());
        }
    }

    private void postpone(Denial denial) {
        postponed = denial;
        release();
        if (relaying) {
            relaying = false;
            client.cutOff();
        } else {
            giveSlotBack();
        }
    }

    // Once it is settled what is spoken.

    @Override
    public void commit() {
        early = false;
        Denial denial = postponed;
        if (denial != null) {
            refuse(denial);
        }
    }

    @Override
    public void revoke() {
        if (!over) {
            over = true;
            release();
            services.rechecks().remove(this);
            services.audit().drop(slot, record);
            slot = null;
        }
    }

    @Override
    public void expired(Refusal why) {
        Denial denial = postponed;
        if (denial == null) {
            denial = Denial.byEngine(why);
            denial.note(record);
        }
        close(denial.action(), denial.refusal().status());
    }

    // The verdict of a later generation.

    @Override
    Connection client() {
        return facts.connection();
    }

    /** Replaces a verdict that is still awaited. */
    @Override
    void recheck(Generation now, Connection caller) {
        stopRecheck();
        if (over || refusedAnew != null || postponed != null || now.number() == admittedBy) {
            return;
        }
        if (!protocol.isPassedBy(now, facts.destination())) {
            new Anew(now).denied(Denial.byEngine(OtherTcp.REFUSED));
            return;
        }
        MutableAuditRecord notes = new MutableAuditRecord(facts.exchangeId(), 0);
        HostOnlyRequest again = new HostOnlyRequest(services, now, facts.with(caller), notes, new Anew(now));
        judgingAnew = again;
        again.start();
    }

    private void stopRecheck() {
        HostOnlyRequest before = judgingAnew;
        judgingAnew = null;
        if (before != null) {
            before.cancel();
        }
    }

    private final class Anew implements HostOnlyRequest.Verdict {

        private final Generation by;

        Anew(Generation by) {
            this.by = by;
        }

        @Override
        public void allowed(boolean edited) {
            judgingAnew = null;
        }

        @Override
        public void denied(Denial denial) {
            judgingAnew = null;
            denial.note(record);
            record.error(PolicyChange.error(by));
            if (relaying && !early) {
                breakOff(denial);
            } else {
                refuse(denial);
            }
        }
    }

    /** Ends a relay, whose end is then reported. */
    private void breakOff(Denial denial) {
        refusedAnew = denial;
        client.cutOff();
    }

    // The way to the origin.

    @Override
    public void onConnected(Channel origin, OriginEndpoint endpoint) {
        cancelOpening = null;
        ExchangeRecorder.note(record, endpoint);
        relaying = true;
        giveSlotBack();
        client.relay(origin);
    }

    private void giveSlotBack() {
        AuditSlot held = slot;
        slot = null;
        if (held != null) {
            services.audit().giveBack(held, record);
        }
    }

    @Override
    public void onFailure(UpstreamFailure failure) {
        cancelOpening = null;
        Refusal refusal = UpstreamRefusals.of(failure.kind());
        Denial denial = new Denial(refusal, null, refusal.code() + ": " + failure.message());
        denial.note(record);
        refuse(denial);
    }

    // What the client's handler tells.

    @Override
    public void gone(DisconnectReason why) {
        if (over || (relaying && !early)) {
            return;
        }
        Denial denial = postponed;
        if (denial == null) {
            closeFor(why);
        } else {
            close(denial.action(), denial.refusal().status());
        }
    }

    @Override
    public void requestSeen() {
        Denial denial = Denial.byEngine(OtherTcp.REQUEST_SEEN);
        denial.note(record);
        breakOff(denial);
    }

    private void closeFor(DisconnectReason why) {
        if (!why.error().isEmpty()) {
            record.error(why.error());
        }
        close(why.action(), 0);
    }

    @Override
    public void ended(long fromClient, long fromOrigin, End end) {
        record.requestBytes(fromClient).responseBytes(fromOrigin);
        Denial refused = refusedAnew;
        if (refused != null) {
            close(refused.action(), refused.refusal().status());
            return;
        }
        switch (end) {
            case COMPLETE -> close(AuditRecord.Action.ALLOW, 0);
            case IDLE -> {
                record.error("idle_timeout: no byte in either direction for too long");
                close(AuditRecord.Action.ALLOW, 0);
            }
            case CLIENT_RESET -> closeFor(DisconnectReason.LEFT);
            case ORIGIN_RESET -> {
                record.error("the origin broke the connection off");
                close(AuditRecord.Action.ERROR, 0);
            }
            case CUT_OFF -> closeFor(DisconnectReason.CUT_OFF);
            case REFUSED -> closeFor(DisconnectReason.POLICY_CHANGED);
        }
    }

    /** Releases what the verdicts and the way to the origin needed. */
    private void release() {
        HostOnlyRequest before = judging;
        judging = null;
        if (before != null) {
            before.cancel();
        }
        stopRecheck();
        Runnable cancel = cancelOpening;
        cancelOpening = null;
        if (cancel != null) {
            cancel.run();
        }
    }

    private void close(AuditRecord.Action action, int status) {
        if (over) {
            return;
        }
        over = true;
        services.rechecks().remove(this);
        release();
        protocol.note(record, editsIgnored);
        record.action(action).statusCode(status).durationNanos(System.nanoTime() - startNanos);
        AuditSlot held = slot;
        slot = null;
        services.audit().offer(held, facts.loop(), record);
    }
}
