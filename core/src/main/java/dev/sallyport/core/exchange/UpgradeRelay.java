package dev.sallyport.core.exchange;

import dev.sallyport.core.body.BodyBudget;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.pipeline.MessageEdits;
import dev.sallyport.core.upstream.UpstreamFailure;
import dev.sallyport.core.upstream.UpstreamListener;
import dev.sallyport.core.upstream.UpstreamStream;
import dev.sallyport.core.websocket.ByteFilter;
import dev.sallyport.core.websocket.CloseFrameTracker;
import dev.sallyport.core.websocket.FrameFilter;
import dev.sallyport.core.websocket.MessageException;
import dev.sallyport.core.websocket.MessageFilter;
import dev.sallyport.core.websocket.WebSocketFrameWriter;
import dev.sallyport.spi.Edit;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What an exchange becomes after 101: bytes in both directions, each half ending by itself. An orderly end is forwarded
 * as an end, a failure as a reset. No close frame is invented, so a broken connection never looks closed. Only a sender
 * of unforwardable data is told why, and is then reset. Once both sides of a WebSocket have sent their close frames (RFC
 * 6455, 7.1.4) it does not matter how their connections end. Confined to the exchange's loop.
 *
 * <p>It listens to the origin as soon as the origin agrees, and to the client as soon as the client has been told.
 */
final class UpgradeRelay {

    /** The sides that take part in the relay. */
    enum State {
        /** The origin has agreed and the client has not been told yet: the origin's bytes wait. */
        AGREED,
        /** Both sides. */
        OPEN,
        /** The client has left after its last byte, which may still be on its way to the origin. */
        CLIENT_LEFT,
        /** Neither side. */
        OVER;

        /** The transitions. */
        boolean mayBecome(State next) {
            return switch (next) {
                case AGREED -> false;
                case OPEN -> this == AGREED;
                case CLIENT_LEFT -> this == OPEN;
                case OVER -> true;
            };
        }
    }

    /** How long one side of a WebSocket may be silent after the other has ended its half. */
    private static final Duration HALF_CLOSED_LIMIT = Duration.ofMinutes(2);

    /** How long the origin may take for what a client sent before it left. */
    private static final Duration LINGER_LIMIT = Duration.ofSeconds(10);

    /** The longest message if bodies have no limit. */
    private static final long LONGEST_MESSAGE = 64L << 20;

    private static final HeaderBlock NO_TRAILERS = new HeaderBlock(1);

    private final Exchange exchange;
    private final ExchangeRecorder recorder;
    private final Duration idleLimit;
    private final boolean framed;
    private final RelayDirection toOrigin;
    private final RelayDirection toClient;

    /** The origin's bytes from before the client was told of its agreement. */
    private final ArrayDeque<ByteBuf> early = new ArrayDeque<>(1);

    /** The outcome of the side that ended first; null while neither has. */
    private @Nullable RelayDirection first;

    /** Whether the origin has ended its half before the client has been told. */
    private boolean earlyEnd;

    private State state = State.AGREED;
    private long lastByte;
    private @Nullable ScheduledFuture<?> timer;

    /**
     * @param idleLimit how long both sides may be silent; zero for no limit
     * @param framed whether frames of WebSocket follow; otherwise bytes of which nothing is known
     */
    UpgradeRelay(
            Exchange exchange,
            ExchangeRecorder recorder,
            ClientStream client,
            UpstreamStream origin,
            Duration idleLimit,
            boolean framed) {
        this.exchange = exchange;
        this.recorder = recorder;
        this.idleLimit = idleLimit;
        this.framed = framed;
        this.toOrigin = new RelayDirection(new ToOrigin(origin), client::consumed);
        this.toClient = new RelayDirection(new ToClient(client), origin::consumed);
        origin.listener(new FromOrigin());
    }

    State state() {
        return state;
    }

    private void become(State next) {
        if (!state.mayBecome(next)) {
            throw exchange.impossible("relay: " + next + " after " + state);
        }
        state = next;
    }

    /** The origin's side. */
    private final class FromOrigin implements UpstreamListener {

        @Override
        public void onReady(UpstreamStream stream) {
            throw unexpected("a stream");
        }

        @Override
        public void onInterim(ResponseMessage head) {
            throw unexpected("an interim head");
        }

        @Override
        public void onHead(ResponseMessage head, boolean end) {
            throw unexpected("a head");
        }

        private IllegalStateException unexpected(String event) {
            return exchange.impossible("relay: " + event + " while " + state);
        }

        @Override
        public void onData(ByteBuf data) {
            fromOrigin(data);
        }

        @Override
        public void onEnd(HeaderBlock trailers) {
            originEnded();
        }

        @Override
        public void onWritable() {
            settle(toOrigin);
        }

        @Override
        public void onFailure(UpstreamFailure failure) {
            switch (state) {
                case AGREED ->
                    exchange.refuse(
                            UpstreamRefusals.of(failure.kind()), LocalResponses.DecidedBy.ENGINE, failure.message());
                case OPEN, CLIENT_LEFT -> originFailed(failure);
                case OVER -> {}
            }
        }
    }

    private record ToOrigin(UpstreamStream stream) implements RelayDirection.Receiver {

        @Override
        public void data(ByteBuf data) {
            stream.data(data);
        }

        @Override
        public boolean isWritable() {
            return stream.isWritable();
        }

        @Override
        public void end() {
            stream.end(NO_TRAILERS);
        }
    }

    private record ToClient(ClientStream downstream) implements RelayDirection.Receiver {

        @Override
        public void data(ByteBuf data) {
            downstream.data(data);
        }

        @Override
        public boolean isWritable() {
            return downstream.isWritable();
        }

        @Override
        public void end() {
            downstream.end(NO_TRAILERS);
        }
    }

    /** Whether frames of WebSocket follow. */
    boolean framed() {
        return framed;
    }

    /**
     * Installs the rewriters of messages; of other bytes, those of the engine alone.
     *
     * @param response the origin's head, which says how they are compressed
     * @throws MessageException when the messages could not be read
     */
    void rewrite(MessageEdits edits, HeaderBlock response, BodyBudget budget, ExchangeSettings settings)
            throws MessageException {
        if (!framed) {
            toOrigin.through(new ByteFilter(List.of(), budget));
            toClient.through(new ByteFilter(edits.nextToOrigin(), budget));
            return;
        }
        toOrigin.through(messages(true, edits, response, budget, settings.caps().request()));
        toClient.through(
                messages(false, edits, response, budget, settings.caps().response()));
    }

    private static FrameFilter messages(
            boolean fromClient, MessageEdits edits, HeaderBlock response, BodyBudget budget, long limit)
            throws MessageException {
        List<Edit.RewriteMessages> rewriters = edits.rewriters(fromClient);
        return rewriters.isEmpty()
                ? new CloseFrameTracker()
                : new MessageFilter(
                        ByteBufAllocator.DEFAULT,
                        fromClient,
                        rewriters,
                        response,
                        budget,
                        Math.min(limit, LONGEST_MESSAGE));
    }

    /** The client has been sent the 101. */
    void open() {
        become(State.OPEN);
        watchAnew();
        for (ByteBuf data = early.poll(); data != null; data = early.poll()) {
            fromOrigin(data);
        }
        if (earlyEnd) {
            originEnded();
        }
    }

    void fromClient(ByteBuf data) {
        lastByte = System.nanoTime();
        recorder.requestBytes(data.readableBytes());
        forward(toOrigin, data);
    }

    private void fromOrigin(ByteBuf data) {
        switch (state) {
            case AGREED -> early.add(data);
            case OPEN -> {
                lastByte = System.nanoTime();
                recorder.responseBytes(data.readableBytes());
                forward(toClient, data);
            }
            case CLIENT_LEFT -> forward(toClient, data);
            case OVER -> data.release();
        }
    }

    private void forward(RelayDirection lane, ByteBuf data) {
        boolean before = lane.ended();
        try {
            lane.data(data);
        } catch (MessageException fault) {
            failed(lane, fault);
            return;
        }
        if (lane.ended() && !before) {
            halfEnded();
        }
    }

    private void failed(RelayDirection lane, MessageException fault) {
        boolean client = lane == toOrigin;
        RelayDirection back = client ? toClient : toOrigin;
        back.say(WebSocketFrameWriter.close(ByteBufAllocator.DEFAULT, !client, fault.closeCode()));
        String error = (framed ? "websocket: " : "upgrade: ") + fault.text();
        if (client && fault.isSenders()) {
            recorder.refusedLate(error);
        } else {
            recorder.failed(error);
        }
        exchange.breakOff();
    }

    private void settle(RelayDirection lane) {
        boolean before = lane.ended();
        try {
            lane.settle();
        } catch (MessageException fault) {
            failed(lane, fault);
            return;
        }
        if (lane.ended() && !before) {
            halfEnded();
        }
    }

    /** Whether both sides have sent a close frame. */
    private boolean isClosed() {
        return toOrigin.transit().sawClose() && toClient.transit().sawClose();
    }

    /** Whether a side of a WebSocket has ended without any close frame (RFC 6455, 7.1.5). */
    private boolean isBroken() {
        return framed
                && first != null
                && !toOrigin.transit().sawClose()
                && !toClient.transit().sawClose();
    }

    /** Records which side broke the connection, if either did. */
    private void conclude() {
        if (!isBroken()) {
            return;
        }
        if (first == toOrigin) {
            recorder.clientGone("websocket: the client ended the connection without a close frame");
        } else {
            recorder.failed("websocket: the origin ended the connection without a close frame");
        }
    }

    private void finish() {
        conclude();
        exchange.finish();
    }

    void clientWritable() {
        settle(toClient);
    }

    void clientEnded() {
        ends(toOrigin);
        if (end(toOrigin)) {
            halfEnded();
        }
    }

    /** Ends a direction; returns false if what was held back could not pass, which has ended the exchange. */
    private boolean end(RelayDirection lane) {
        try {
            lane.end();
            return true;
        } catch (MessageException fault) {
            failed(lane, fault);
            return false;
        }
    }

    private void originEnded() {
        if (state == State.AGREED) {
            earlyEnd = true;
        } else {
            ends(toClient);
            if (end(toClient)) {
                halfEnded();
            }
        }
    }

    private void ends(RelayDirection lane) {
        if (first == null) {
            first = lane;
        }
    }

    private void halfEnded() {
        if (toOrigin.ended() && toClient.ended()) {
            finish();
        } else {
            watchAnew();
        }
    }

    /** The origin's connection has failed, which may no longer matter, or be the answer to a client that left. */
    private void originFailed(UpstreamFailure failure) {
        if (isClosed()) {
            originEnded();
        } else if (first == toOrigin && isBroken()) {
            conclude();
            exchange.breakOff();
        } else {
            recorder.failed(UpstreamRefusals.of(failure.kind()).error(failure.message()));
            exchange.breakOff();
        }
    }

    /**
     * The client's connection has closed.
     *
     * @return whether it had ended its half before, so that what it sent may still be on its way to the origin
     */
    boolean clientGone(DisconnectReason why) {
        toClient.close();
        if (state == State.AGREED) {
            return false;
        }
        if (isClosed()) {
            end(toOrigin);
        }
        if (state == State.OVER) {
            return true;
        }
        if (!toOrigin.ending()) {
            return false;
        }
        if (why.isForced()) {
            if (isClosed()) {
                exchange.finish();
                return true;
            }
            return false;
        }
        become(State.CLIENT_LEFT);
        if (toClient.ended()) {
            finish();
        } else {
            watchAnew();
        }
        return true;
    }

    /** Releases what is held. Idempotent. */
    void discard() {
        become(State.OVER);
        stopWatching();
        toOrigin.discard();
        toClient.discard();
        for (ByteBuf data = early.poll(); data != null; data = early.poll()) {
            data.release();
        }
    }

    // Silence.

    private Duration limit() {
        if (state == State.CLIENT_LEFT) {
            return LINGER_LIMIT;
        }
        return framed && (toOrigin.ending() || toClient.ending()) ? HALF_CLOSED_LIMIT : idleLimit;
    }

    private void watchAnew() {
        stopWatching();
        lastByte = System.nanoTime();
        watch();
    }

    private void watch() {
        long limit = limit().toNanos();
        if (state == State.OVER || limit == 0) {
            return;
        }
        long left = limit - (System.nanoTime() - lastByte);
        if (left > 0) {
            timer = exchange.facts().loop().schedule(this::watch, left, TimeUnit.NANOSECONDS);
        } else if (state == State.CLIENT_LEFT) {
            finish();
        } else {
            recorder.ended("idle_timeout: no byte in either direction for " + limit());
            conclude();
            exchange.breakOff();
        }
    }

    private void stopWatching() {
        ScheduledFuture<?> running = timer;
        timer = null;
        if (running != null) {
            running.cancel(false);
        }
    }
}
