package dev.sallyport.core.exchange;

import dev.sallyport.core.body.BodyBudget;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.pipeline.MessageEdits;
import dev.sallyport.core.upstream.UpstreamStream;
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
 * of unforwardable data is told why, and is then reset. Once both sides have said their last word (RFC 6455, 7.1.4) it
 * does not matter how rudely they hang up. Confined to the exchange's loop.
 */
final class UpgradeRelay {

    /** How long one side may be silent after the other has ended its half. */
    private static final Duration HALF_CLOSED_LIMIT = Duration.ofMinutes(2);

    /** How long the origin may take for what a client sent before it left. */
    private static final Duration LINGER_LIMIT = Duration.ofSeconds(10);

    /** What a message may be where bodies have no limit. */
    private static final long LONGEST_MESSAGE = 64L << 20;

    private static final HeaderBlock NO_TRAILERS = new HeaderBlock(1);

    private final Exchange exchange;
    private final ExchangeRecorder recorder;
    private final Duration idleLimit;
    private final RelayDirection toOrigin;
    private final RelayDirection toClient;

    /** What the origin says before the client has been told that it agreed. */
    private final ArrayDeque<ByteBuf> early = new ArrayDeque<>(1);

    /** What the side that ended first had to say; null while neither has. */
    private @Nullable RelayDirection first;

    private boolean earlyEnd;
    private boolean open;
    private boolean clientLeft;
    private boolean over;
    private long lastByte;
    private @Nullable ScheduledFuture<?> timer;

    /** @param idleLimit how long both sides may be silent; zero for no limit */
    UpgradeRelay(
            Exchange exchange,
            ExchangeRecorder recorder,
            ClientStream client,
            UpstreamStream origin,
            Duration idleLimit) {
        this.exchange = exchange;
        this.recorder = recorder;
        this.idleLimit = idleLimit;
        this.toOrigin = new RelayDirection(new ToOrigin(origin), client::consumed);
        this.toClient = new RelayDirection(new ToClient(client), origin::consumed);
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

    /**
     * Has messages rewritten.
     *
     * @param response the origin's head, which says how they are compressed
     * @throws MessageFault when they could not be read
     */
    void rewrite(MessageEdits edits, HeaderBlock response, BodyBudget budget, ExchangeSettings settings)
            throws MessageException {
        toOrigin.through(messages(true, edits, response, budget, settings.maxRequestBody()));
        toClient.through(messages(false, edits, response, budget, settings.maxResponseBody()));
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
        open = true;
        watchAnew();
        for (ByteBuf data = early.poll(); data != null; data = early.poll()) {
            fromOrigin(data);
        }
        if (earlyEnd) {
            originEnded();
        }
    }

    boolean isOpen() {
        return open;
    }

    void fromClient(ByteBuf data) {
        lastByte = System.nanoTime();
        recorder.requestBytes(data.readableBytes());
        forward(toOrigin, data);
    }

    void fromOrigin(ByteBuf data) {
        if (over) {
            data.release();
        } else if (clientLeft) {
            forward(toClient, data);
        } else if (open) {
            lastByte = System.nanoTime();
            recorder.responseBytes(data.readableBytes());
            forward(toClient, data);
        } else {
            early.add(data);
        }
    }

    private void forward(RelayDirection lane, ByteBuf data) {
        try {
            lane.data(data);
        } catch (MessageException fault) {
            failed(lane, fault);
        }
    }

    private void failed(RelayDirection lane, MessageException fault) {
        boolean client = lane == toOrigin;
        RelayDirection back = client ? toClient : toOrigin;
        back.say(WebSocketFrameWriter.close(ByteBufAllocator.DEFAULT, !client, fault.closeCode()));
        String error = "websocket: " + fault.text();
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

    /** Whether both sides have said their last word. */
    private boolean isClosed() {
        return toOrigin.transit().sawClose() && toClient.transit().sawClose();
    }

    /** Whether a side has ended although neither had said that it would (RFC 6455, 7.1.5). */
    private boolean isBroken() {
        return first != null
                && !toOrigin.transit().sawClose()
                && !toClient.transit().sawClose();
    }

    /** Records which side broke the connection, if any did. */
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

    void originWritable() {
        settle(toOrigin);
    }

    void clientEnded() {
        ends(toOrigin);
        toOrigin.end();
        halfEnded();
    }

    void originEnded() {
        if (open) {
            ends(toClient);
            toClient.end();
            halfEnded();
        } else {
            earlyEnd = true;
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

    /** The origin's connection has failed; whether it is harmless, or the client has left already. */
    boolean originFailed() {
        if (open && isClosed()) {
            originEnded();
            return true;
        }
        if (first == toOrigin && isBroken()) {
            conclude();
            exchange.breakOff();
            return true;
        }
        return false;
    }

    /**
     * The client's connection has closed.
     *
     * @return whether it had ended its half before, so that what it sent may still be on its way to the origin
     */
    boolean clientGone(DisconnectReason why) {
        toClient.close();
        if (open && isClosed()) {
            toOrigin.end();
        }
        boolean hadEnded = open && toOrigin.ending();
        clientLeft = hadEnded && why != DisconnectReason.CUT_OFF;
        if (clientLeft && toClient.ended()) {
            finish();
        } else if (clientLeft) {
            watchAnew();
        } else if (hadEnded && isClosed()) {
            exchange.finish();
            return true;
        }
        return clientLeft;
    }

    /** Releases what is held. Idempotent. */
    void discard() {
        over = true;
        stopWatching();
        toOrigin.discard();
        toClient.discard();
        for (ByteBuf data = early.poll(); data != null; data = early.poll()) {
            data.release();
        }
    }

    // Silence.

    private Duration limit() {
        if (clientLeft) {
            return LINGER_LIMIT;
        }
        return toOrigin.ending() || toClient.ending() ? HALF_CLOSED_LIMIT : idleLimit;
    }

    private void watchAnew() {
        stopWatching();
        lastByte = System.nanoTime();
        watch();
    }

    private void watch() {
        long limit = limit().toNanos();
        if (over || limit == 0) {
            return;
        }
        long left = limit - (System.nanoTime() - lastByte);
        if (left > 0) {
            timer = exchange.loop().schedule(this::watch, left, TimeUnit.NANOSECONDS);
        } else if (clientLeft) {
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
