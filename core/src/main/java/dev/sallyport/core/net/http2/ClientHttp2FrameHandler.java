package dev.sallyport.core.net.http2;

import dev.sallyport.core.config.ProxyLimits;
import dev.sallyport.core.exchange.DisconnectReason;
import dev.sallyport.core.http.HeadAccount;
import dev.sallyport.core.http.HeadBudget;
import dev.sallyport.core.http.HeadMeter;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http2.ConnectionErrorException;
import dev.sallyport.core.http2.FieldSection;
import dev.sallyport.core.http2.FloodBudget;
import dev.sallyport.core.http2.FrameReader;
import dev.sallyport.core.http2.FrameScheduler;
import dev.sallyport.core.http2.FrameWriter;
import dev.sallyport.core.http2.HpackReader;
import dev.sallyport.core.http2.PeerSettings;
import dev.sallyport.core.http2.ReceiveWindow;
import dev.sallyport.core.http2.StreamTable;
import dev.sallyport.core.http2.StreamTable.Past;
import dev.sallyport.core.net.connection.ClientConnection;
import dev.sallyport.core.net.request.DecodedRequest;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import org.jspecify.annotations.Nullable;

/**
 * Dispatches a client's frames to their streams and enforces the stream rules (RFC 9113, 5 and 6). Counts useless
 * frames against a budget. On the connection's loop.
 */
final class ClientHttp2FrameHandler implements FrameReader.Listener {

    /** The connection's window: large, so that no stream waits for another; each stream has its own window. */
    private static final int CONNECTION_WINDOW = 16 * 1024 * 1024;

    private static final int SMALL_UPDATE = 256;
    private static final int IGNORED_COST = 5;
    private static final int PING_COST = 1;
    private static final int SETTINGS_COST = 100;
    private static final int EMPTY_DATA_COST = 20;

    /** Tiny DATA frames cost more memory than they carry; they are charged once {@link #BACKLOG} bytes wait. */
    private static final int SMALL_DATA = 64;

    private static final int BACKLOG = 16 * 1024;

    private final ClientHttp2Connection connection;
    private final StreamTable<ClientHttp2Stream> streams;
    private final FrameScheduler output;
    private final PeerSettings settings;
    private final HpackReader hpack;
    private final HeadAccount heads;
    private final Http2RequestReader requests;
    private final ProxyLimits limits;
    private final FloodBudget resets;
    private final FloodBudget idle;
    private final ReceiveWindow window = new ReceiveWindow(CONNECTION_WINDOW);
    private @Nullable ClientHttp2Stream receiving;
    private int frameLength;

    ClientHttp2FrameHandler(
            ClientHttp2Connection connection,
            ClientConnection client,
            HeadAccount heads,
            StreamTable<ClientHttp2Stream> streams,
            FrameScheduler output,
            PeerSettings settings) {
        this.connection = connection;
        this.streams = streams;
        this.output = output;
        this.settings = settings;
        this.heads = heads;
        this.limits = client.limits();
        this.hpack = new HpackReader(limits.headerBytes().toInt());
        this.requests = new Http2RequestReader(client.ingress(), client.callers(), limits.headerCount());
        ProxyLimits.Http2 budgets = limits.http2();
        this.resets =
                FloodBudget.perSecond(budgets.maxResets(), budgets.resetsPerSecond(), "too many streams were reset");
        this.idle = FloodBudget.perSecond(
                budgets.maxControlFrames(),
                budgets.controlFramesPerSecond(),
                "too many frames that carry no part of a message");
    }

    /** Sends this side's SETTINGS. */
    void sendPreface() {
        output.write(FrameWriter.settings(
                output.allocator(),
                FrameWriter.SETTINGS_MAX_CONCURRENT_STREAMS,
                limits.http2().maxConcurrentStreams(),
                FrameWriter.SETTINGS_INITIAL_WINDOW_SIZE,
                limits.http2().streamWindowBytes().toInt(),
                FrameWriter.SETTINGS_MAX_HEADER_LIST_SIZE,
                limits.headerBytes().toInt(),
                FrameWriter.SETTINGS_ENABLE_CONNECT_PROTOCOL,
                1));
        output.windowUpdate(0, CONNECTION_WINDOW - FrameWriter.INITIAL_WINDOW);
    }

    // Data.

    @Override
    public void dataBegins(int stream, int length) throws ConnectionErrorException {
        takeCredit(length);
        receiving = null;
        frameLength = length;
        ClientHttp2Stream exchange = streams.get(stream);
        if (exchange == null) {
            switch (streams.past(stream)) {
                case IDLE -> throw ConnectionErrorException.protocol("DATA on a stream that was never opened");
                case CLOSED -> resetClosed(stream, Http2Error.STREAM_CLOSED);
                case RESET -> idle.spend(IGNORED_COST);
            }
        } else if (exchange.receiver().isEnded()) {
            reset(exchange, Http2Error.STREAM_CLOSED);
        } else if (!exchange.receiver().takeCredit(length)) {
            reset(exchange, Http2Error.FLOW_CONTROL_ERROR);
        } else {
            receiving = exchange;
        }
    }

    /** The connection's window is restored as data arrives: the windows of the streams bound the waiting data. */
    private void takeCredit(int length) throws ConnectionErrorException {
        if (!window.take(length)) {
            throw ConnectionErrorException.flowControl("more data than the connection's window allows");
        }
        int increment = window.giveBack(length);
        if (increment > 0) {
            output.windowUpdate(0, increment);
        }
    }

    @Override
    public void dataPart(ByteBuf part) {
        ClientHttp2Stream exchange = receiving;
        if (exchange == null) {
            part.release();
        } else {
            exchange.received(part);
        }
    }

    @Override
    public void dataEnds(int padding, boolean endStream) throws ConnectionErrorException {
        ClientHttp2Stream exchange = receiving;
        receiving = null;
        if (exchange == null) {
            return;
        }
        if (streams.get(exchange.id()) == exchange) {
            dataEnds(exchange, padding, endStream);
        }
        if (exchange.isBrokenOff()) {
            resets.spend(1);
        }
    }

    private void dataEnds(ClientHttp2Stream exchange, int padding, boolean endStream) throws ConnectionErrorException {
        if (padding > 0) {
            exchange.consumed(padding);
        }
        if (endStream) {
            exchange.ended(new HeaderBlock(1));
        } else if (padding == frameLength) {
            idle.spend(EMPTY_DATA_COST);
        } else if (frameLength < SMALL_DATA && exchange.receiver().backlog() > BACKLOG) {
            idle.spend(IGNORED_COST);
        }
    }

    // Heads.

    @Override
    public void headers(int stream, ByteBuf block, boolean endStream, int dependsOn) throws ConnectionErrorException {
        FieldSection section;
        try {
            section = hpack.read(stream, block, heads);
        } catch (Http2Exception e) {
            throw new ConnectionErrorException(e.error(), "a header block cannot be decoded");
        }
        try {
            headers(stream, section, endStream, dependsOn);
        } finally {
            heads.give(section.takeCharge()); // The charge that no stream has taken over.
        }
    }

    private void headers(int stream, FieldSection section, boolean endStream, int dependsOn)
            throws ConnectionErrorException {
        ClientHttp2Stream exchange = streams.get(stream);
        if (exchange != null) {
            trailers(exchange, section, endStream);
        } else if (stream > streams.last()) {
            open(stream, section, endStream, dependsOn);
        } else {
            switch (streams.past(stream)) {
                case RESET -> idle.spend(IGNORED_COST);
                case CLOSED ->
                    throw new ConnectionErrorException(Http2Error.STREAM_CLOSED, "HEADERS on a closed stream");
                case IDLE -> throw ConnectionErrorException.protocol("HEADERS on a stream with a skipped number");
            }
        }
    }

    private void open(int stream, FieldSection section, boolean endStream, int dependsOn)
            throws ConnectionErrorException {
        if ((stream & 1) == 0) {
            throw ConnectionErrorException.protocol("a client's stream has an even number");
        }
        streams.last(stream);
        if (connection.isDraining()) {
            streams.remember(stream, true);
        } else if (dependsOn == stream) {
            refuse(stream, Http2Error.PROTOCOL_ERROR, RefusedStreamRecorder.RefusalReason.CIRCULAR);
        } else if (streams.size() >= limits.http2().maxConcurrentStreams()) {
            refuse(stream, Http2Error.REFUSED_STREAM, RefusedStreamRecorder.RefusalReason.TOO_MANY);
        } else if (section.crowdedOut() || heads.take(HeadBudget.EXCHANGE_COST) != HeadMeter.Room.ENOUGH) {
            refuse(stream, Http2Error.REFUSED_STREAM, RefusedStreamRecorder.RefusalReason.CROWDED_OUT);
        } else {
            DecodedRequest request = requests.read(section, endStream);
            HeadCharge held = new HeadCharge(heads);
            if (request.head() != null) {
                held.add(section.takeCharge());
            }
            ClientHttp2Stream exchange = new ClientHttp2Stream(
                    connection,
                    output,
                    stream,
                    held,
                    request,
                    settings.initialWindow(),
                    limits.http2().streamWindowBytes().toInt());
            streams.add(exchange);
            connection.opened(exchange);
        }
    }

    /** Resets a stream that has not become a request. */
    private void refuse(int stream, Http2Error code, RefusedStreamRecorder.RefusalReason why)
            throws ConnectionErrorException {
        connection.refused(why);
        streams.remember(stream, true);
        resetClosed(stream, code);
    }

    private void trailers(ClientHttp2Stream exchange, FieldSection section, boolean endStream)
            throws ConnectionErrorException {
        if (exchange.receiver().isEnded()) {
            reset(exchange, Http2Error.STREAM_CLOSED);
            return;
        }
        String wrong = Http2RequestReader.faultOfTrailers(section, endStream, limits);
        if (wrong.isEmpty()) {
            exchange.held().add(section.takeCharge());
            exchange.ended(section.fields());
        } else {
            exchange.malformed(wrong);
        }
        if (exchange.isBrokenOff()) {
            resets.spend(1);
        }
    }

    @Override
    public void priority(int stream, int dependsOn) throws ConnectionErrorException {
        if (dependsOn == stream) {
            wrong(stream, Http2Error.PROTOCOL_ERROR);
        } else {
            idle.spend(IGNORED_COST);
        }
    }

    @Override
    public void wrong(int stream, Http2Error code) throws ConnectionErrorException {
        ClientHttp2Stream exchange = streams.get(stream);
        if (exchange != null) {
            reset(exchange, code);
            return;
        }
        switch (streams.past(stream)) {
            case IDLE ->
                throw new ConnectionErrorException(code, "a malformed frame on a stream that was never opened");
            case CLOSED -> resetClosed(stream, code);
            case RESET -> idle.spend(IGNORED_COST);
        }
    }

    @Override
    public void reset(int stream, long code) throws ConnectionErrorException {
        ClientHttp2Stream exchange = streams.get(stream);
        if (exchange != null) {
            resets.spend(1);
            connection.gone(exchange);
        } else if (streams.past(stream) == Past.IDLE) {
            throw ConnectionErrorException.protocol("RST_STREAM on a stream that was never opened");
        } else {
            idle.spend(IGNORED_COST);
        }
    }

    private void reset(ClientHttp2Stream exchange, Http2Error code) throws ConnectionErrorException {
        resets.spend(1);
        connection.cancel(exchange, code, DisconnectReason.BROKE_PROTOCOL);
    }

    private void resetClosed(int stream, Http2Error code) throws ConnectionErrorException {
        resets.spend(1);
        output.reset(stream, code);
    }

    // The connection.

    @Override
    public void setting(int id, long value) throws ConnectionErrorException {
        output.setting(id, value);
    }

    private void applyInitialWindow() throws ConnectionErrorException {
        int change = settings.takeWindowChange();
        if (change == 0) {
            return;
        }
        for (ClientHttp2Stream exchange : streams.snapshot()) {
            if (!exchange.sendQueue().grow(change)) {
                throw ConnectionErrorException.flowControl("SETTINGS_INITIAL_WINDOW_SIZE makes a window too large");
            }
            output.ready(exchange);
        }
    }

    @Override
    public void settings(boolean ack) throws ConnectionErrorException {
        idle.spend(SETTINGS_COST);
        if (ack) {
            connection.settingsAcknowledged();
        } else {
            applyInitialWindow();
            acknowledge(FrameWriter.settingsAck(output.allocator()));
        }
    }

    @Override
    public void ping(boolean ack, long data) throws ConnectionErrorException {
        idle.spend(PING_COST);
        if (ack) {
            connection.pingAcknowledged(data);
        } else {
            acknowledge(FrameWriter.ping(output.allocator(), true, data));
        }
    }

    private void acknowledge(ByteBuf answer) throws ConnectionErrorException {
        if (!output.acknowledge(answer)) {
            throw ConnectionErrorException.flood("the client requests answers and does not read them");
        }
    }

    @Override
    public void windowUpdate(int stream, int increment) throws ConnectionErrorException {
        if (increment < SMALL_UPDATE && !output.takeEcho()) {
            idle.spend(IGNORED_COST);
        }
        if (stream == 0) {
            if (increment == 0) {
                throw ConnectionErrorException.protocol("WINDOW_UPDATE with an increment of 0");
            }
            if (!output.grow(increment)) {
                throw ConnectionErrorException.flowControl("the connection's window is too large");
            }
            return;
        }
        if (increment == 0) {
            wrong(stream, Http2Error.PROTOCOL_ERROR);
            return;
        }
        ClientHttp2Stream exchange = streams.get(stream);
        if (exchange == null) {
            if (streams.past(stream) == Past.IDLE) {
                throw ConnectionErrorException.protocol("WINDOW_UPDATE on a stream that was never opened");
            }
        } else if (!exchange.sendQueue().grow(increment)) {
            reset(exchange, Http2Error.FLOW_CONTROL_ERROR);
        } else {
            output.ready(exchange);
        }
    }

    @Override
    public void goAway(int lastStream, long code) throws ConnectionErrorException {
        idle.spend(IGNORED_COST); // The client opens no more streams; nothing else to do.
    }

    @Override
    public void ignored() throws ConnectionErrorException {
        idle.spend(IGNORED_COST);
    }
}
