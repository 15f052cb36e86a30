package dev.sallyport.core.exchange;

import dev.sallyport.core.body.BodyBudget;
import dev.sallyport.core.body.BodyFailure;
import dev.sallyport.core.body.BodySink;
import dev.sallyport.core.body.MessageBody;
import dev.sallyport.core.body.ReplayBuffer;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.upstream.UpstreamFailure.Repeat;
import dev.sallyport.core.upstream.UpstreamStream;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * The message of an exchange's request on its way out: how much of it has been handed over ({@link State}), and whether
 * it may be sent once more, while the whole of it is still held. Bytes that a stream may lose are kept until the first
 * byte of a response.
 */
final class OutgoingRequest implements BodySink {

    /** How much has been handed over for sending. */
    private enum State {
        /** Nothing: the transforms or the stream are not ready. */
        HELD,
        /** Nothing, but the body has been released, and decides when the head leaves. */
        RELEASED,
        /** The head, and the body bytes released so far. */
        BEGUN,
        /** The head, which is the whole message. */
        HEAD_ONLY,
        /** The whole message, including the trailers. */
        WHOLE
    }

    private final Exchange exchange;
    private final UpstreamRequest way;
    private final PlaintextCredentialGate plaintext;
    private final BodyBudget budget;

    private State state = State.HELD;

    /** It may be sent once more: it never was, what was sent is kept, and the origin has not responded. */
    private boolean repeatable = true;

    /** The trailers of a {@link State#WHOLE} message. */
    private @Nullable HeaderBlock trailers;

    /** The body bytes that were sent or wait for another stream; null when there are none, or they are not kept. */
    private @Nullable ReplayBuffer replay;

    OutgoingRequest(Exchange exchange, UpstreamRequest way, PlaintextCredentialGate plaintext, BodyBudget budget) {
        this.exchange = exchange;
        this.way = way;
        this.plaintext = plaintext;
        this.budget = budget;
    }

    /** There is a stream, the first or another. */
    void sendOn(UpstreamStream ready) {
        switch (state) {
            case HELD -> release(ready);
            case RELEASED -> {} // the head leaves when the body says so
            case BEGUN, HEAD_ONLY, WHOLE -> sendAgain(ready);
        }
    }

    private void release(UpstreamStream to) {
        if (exchange.bodyless()) {
            state = State.HEAD_ONLY;
            sendHead(to, true);
        } else {
            state = State.RELEASED;
            exchange.body().release(this);
        }
    }

    private void sendAgain(UpstreamStream to) {
        if (stops()) {
            return;
        }
        sendHead(to, state == State.HEAD_ONLY);
        ReplayBuffer kept = replay;
        if (kept != null) {
            kept.drainTo(to::data);
        }
        forget();
        HeaderBlock end = trailers;
        if (end == null) {
            writable();
        } else if (state == State.WHOLE) {
            to.end(end);
        }
    }

    private void sendHead(UpstreamStream to, boolean end) {
        UpgradeHandshake handshake = exchange.handshake();
        if (handshake != null && (end || !handshake.framed())) {
            boolean read = exchange.responseSteps().mayRewriteMessages()
                    || exchange.response().searchesMessages();
            handshake.ask(exchange.head(), read);
        }
        to.head(exchange.head(), end);
    }

    /** Whether nothing more may be sent; if so, the exchange has been refused. */
    private boolean stops() {
        return exchange.carriesDeleted() || plaintext.stops();
    }

    /** As {@link #stops}, once the head has left: a credential in it has been sent, one in the body may wait. */
    private boolean bodyStops() {
        MessageBody body = exchange.bodyIfAny();
        return (body != null && body.altered() && exchange.carriesDeleted()) || plaintext.stops();
    }

    /** The stream accepts more. */
    void writable() {
        MessageBody body = exchange.bodyIfAny();
        if (body != null) {
            body.writable();
        }
    }

    // Sending it once more.

    /** The stream failed in such a way; returns whether it is sent on another, which happens once. */
    boolean repeats(Repeat failed) {
        boolean again = repeatable && failed.allows(exchange.head().method());
        if (again) {
            repeatable = false;
        }
        return again;
    }

    /** It will not be sent once more: releases what was kept for that. */
    void forget() {
        repeatable = false;
        ReplayBuffer kept = replay;
        replay = null;
        if (kept != null) {
            kept.drop();
        }
    }

    /** Takes back a message without a body, which has been answered and is now sent as if it never had been. */
    void hold() {
        state = State.HELD;
        trailers = null;
        repeatable = true;
    }

    /** Whether this stream could fail in a way that would let the request be sent again. */
    private boolean mayRepeat(UpstreamStream on) {
        if (!repeatable) {
            return false;
        }
        Repeat most = on.protocol().equals("h2") ? Repeat.UNPROCESSED : Repeat.STALE_CONNECTION;
        return (on.reused() || most == Repeat.UNPROCESSED)
                && most.allows(exchange.head().method());
    }

    /** These bytes are sent, and kept as long as they may have to be sent again. */
    private void keep(UpstreamStream target, ByteBuf data) {
        if (!mayRepeat(target)) {
            repeatable = false;
            return;
        }
        ReplayBuffer kept = replay();
        kept.left(data);
        if (!kept.isWhole()) {
            forget();
        }
    }

    private ReplayBuffer replay() {
        ReplayBuffer present = replay;
        if (present == null) {
            present = new ReplayBuffer(ByteBufAllocator.DEFAULT, budget);
            replay = present;
        }
        return present;
    }

    // The body.

    @Override
    public void begin(long length) {
        if (state != State.RELEASED) {
            throw way.unexpected("a body that begins, " + state + ",");
        }
        if (stops()) {
            return;
        }
        RequestMessage head = exchange.head();
        boolean headOnly = length == 0 && head.length() == 0;
        state = headOnly ? State.HEAD_ONLY : State.BEGUN;
        if (!headOnly) {
            MessageBody body = exchange.body();
            BodyFraming.apply(head, body.trailing() ? RequestMessage.UNKNOWN_LENGTH : length, body.altered());
        }
        UpstreamStream target = way.stream();
        if (target != null) {
            sendHead(target, headOnly);
        }
    }

    @Override
    public void data(ByteBuf data) {
        UpstreamStream target = way.stream();
        if (target != null && bodyStops()) {
            data.release();
        } else if (target != null) {
            keep(target, data);
            target.data(data);
        } else if (way.state() == UpstreamRequest.State.OPENING) {
            replay().queue(data);
        } else {
            data.release();
        }
    }

    @Override
    public void end(HeaderBlock fields) {
        boolean headOnly = state == State.HEAD_ONLY;
        trailers = fields;
        if (!headOnly) {
            state = State.WHOLE;
        }
        UpstreamStream target = way.stream();
        if (target != null && bodyStops()) {
            return;
        }
        if (target != null && !headOnly) {
            target.end(fields);
        }
        exchange.releaseLease();
    }

    @Override
    public void failed(BodyFailure failure) {
        exchange.bodyFailed(failure);
    }

    @Override
    public boolean isWritable() {
        UpstreamStream target = way.stream();
        return target == null ? way.state() != UpstreamRequest.State.OPENING : target.isWritable();
    }
}
