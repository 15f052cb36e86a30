package dev.sallyport.core.upstream;

import dev.sallyport.core.http.HeadMeter;
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
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import org.jspecify.annotations.Nullable;

/**
 * Dispatches an origin's frames to their streams and enforces the stream rules (RFC 9113, 5 and 6). Counts frames that
 * are part of no message against budgets. Confined to the connection's loop.
 */
final class OriginHttp2FrameHandler implements FrameReader.Listener {

    /** The most bytes of one response that its listener may hold. */
    static final int STREAM_WINDOW = 256 * 1024;

    /** The most concurrent streams on one connection, whatever the origin allows. */
    static final int MAX_STREAMS = 100;

    /** Large enough that streams whose listeners consume nothing do not block the others. */
    static final int CONNECTION_WINDOW = MAX_STREAMS * STREAM_WINDOW;

    /** The most control frames in a row, without a part of a message between them in either direction. */
    private static final int MAX_CONTROL_FRAMES = 1000;

    private static final int MAX_EMPTY_DATA_FRAMES = 32;

    /** The most frames for streams that have ended. */
    private static final int MAX_CLOSED_STREAM_FRAMES = 1000;

    private final OriginHttp2Connection connection;
    private final StreamTable<OriginHttp2Stream> streams;
    private final FrameScheduler output;
    private final PeerSettings settings;
    private final HpackReader hpack;
    private final ReceiveWindow window = new ReceiveWindow(CONNECTION_WINDOW);
    private final FloodBudget control = FloodBudget.inARow(MAX_CONTROL_FRAMES, "too many control frames in a row");
    private final FloodBudget emptyData =
            FloodBudget.inARow(MAX_EMPTY_DATA_FRAMES, "too many empty DATA frames in a row");
    private final FloodBudget closedStreamFrames =
            FloodBudget.inARow(MAX_CLOSED_STREAM_FRAMES, "too many frames for streams that are no more");
    private @Nullable OriginHttp2Stream receiving;
    private int frameLength;

    OriginHttp2FrameHandler(
            OriginHttp2Connection connection, FrameScheduler output, PeerSettings settings, int maxHeadBytes) {
        this.connection = connection;
        this.streams = connection.streams();
        this.output = output;
        this.settings = settings;
        this.hpack = HpackReader.trimming(maxHeadBytes);
    }

    /** Part of a message was sent: the origin may have to reply to it. */
    void progress() {
        control.restore();
    }

    /** Returns credit for bytes of a stream in progress. */
    void consumed(OriginHttp2Stream stream, int bytes) {
        int increment = stream.receiveWindow().giveBack(bytes);
        if (increment > 0) {
            output.windowUpdate(stream.id(), increment);
        }
        consumed(bytes);
    }

    /** Returns the connection's credit for bytes that no stream holds. */
    void consumed(int bytes) {
        int increment = window.giveBack(bytes);
        if (increment > 0) {
            output.windowUpdate(0, increment);
        }
    }

    // Data.

    @Override
    public void dataBegins(int id, int length) throws ConnectionErrorException {
        if (!window.take(length)) {
            throw ConnectionErrorException.flowControl("more data than the connection's window allows");
        }
        receiving = null;
        frameLength = length;
        OriginHttp2Stream stream = streams.get(id);
        if (stream == null) {
            consumed(length);
            onClosedStream(id, "DATA on a stream that was never opened");
        } else if (stream.isRemoteEnded()) {
            consumed(length);
            connection.breakOff(stream, Http2Error.STREAM_CLOSED);
        } else if (!stream.receiveWindow().take(length)) {
            connection.breakOff(stream, Http2Error.FLOW_CONTROL_ERROR);
        } else {
            receiving = stream;
        }
    }

    @Override
    public void dataPart(ByteBuf part) {
        OriginHttp2Stream stream = receiving;
        if (stream == null || streams.get(stream.id()) != stream) {
            part.release(); // its credit was returned when the stream ended
        } else {
            stream.onData(part);
        }
    }

    @Override
    public void dataEnds(int padding, boolean endStream) throws ConnectionErrorException {
        OriginHttp2Stream stream = receiving;
        receiving = null;
        if (stream == null) {
            return;
        }
        if (padding < frameLength || endStream) {
            control.restore();
            emptyData.restore();
        } else {
            emptyData.spend(1);
        }
        if (streams.get(stream.id()) == stream) {
            if (padding > 0) {
                consumed(stream, padding);
            }
            if (endStream) {
                stream.onDataEnd();
                connection.remoteEnded(stream);
            }
        }
    }

    // Heads.

    @Override
    public void headers(int id, ByteBuf block, boolean endStream, int dependsOn) throws ConnectionErrorException {
        FieldSection section;
        try {
            section = hpack.read(id, block, HeadMeter.NONE);
        } catch (Http2Exception e) {
            throw new ConnectionErrorException(e.error(), "a header block cannot be decoded");
        }
        OriginHttp2Stream stream = streams.get(id);
        if (stream == null) {
            onClosedStream(id, "HEADERS on a stream that was never opened");
        } else if (stream.isRemoteEnded()) {
            connection.breakOff(stream, Http2Error.STREAM_CLOSED);
        } else {
            control.restore();
            emptyData.restore();
            stream.onHeaders(section, endStream);
            if (endStream) {
                connection.remoteEnded(stream);
            }
        }
    }

    /** A frame of a message on a stream that is not in progress. */
    private void onClosedStream(int id, String neverOpened) throws ConnectionErrorException {
        Past past = streams.past(id);
        if (past == Past.IDLE) {
            throw ConnectionErrorException.protocol(neverOpened);
        }
        closedStreamFrames.spend(1);
        if (past == Past.CLOSED) {
            output.reset(id, Http2Error.STREAM_CLOSED);
        }
    }

    @Override
    public void priority(int stream, int dependsOn) throws ConnectionErrorException {
        control.spend(1);
    }

    @Override
    public void wrong(int id, Http2Error code) throws ConnectionErrorException {
        OriginHttp2Stream stream = streams.get(id);
        if (stream != null) {
            connection.breakOff(stream, code);
        } else if (streams.past(id) == Past.IDLE) {
            throw new ConnectionErrorException(code, "a malformed frame on a stream that was never opened");
        } else {
            closedStreamFrames.spend(1);
        }
    }

    @Override
    public void reset(int id, long code) throws ConnectionErrorException {
        control.spend(1);
        OriginHttp2Stream stream = streams.get(id);
        if (stream != null) {
            stream.onReset(code);
            connection.ended(stream);
        } else if (streams.past(id) == Past.IDLE) {
            throw ConnectionErrorException.protocol("RST_STREAM on a stream that was never opened");
        }
    }

    // The connection.

    @Override
    public void setting(int id, long value) throws ConnectionErrorException {
        output.setting(id, value);
    }

    @Override
    public void settings(boolean ack) throws ConnectionErrorException {
        control.spend(1);
        if (ack) {
            return;
        }
        int change = settings.takeWindowChange();
        if (change != 0) {
            for (OriginHttp2Stream stream : streams.snapshot()) {
                if (!stream.sendQueue().grow(change)) {
                    throw ConnectionErrorException.flowControl("SETTINGS_INITIAL_WINDOW_SIZE makes a window too large");
                }
                output.ready(stream);
                stream.creditGranted();
            }
        }
        acknowledge(FrameWriter.settingsAck(output.allocator()));
        connection.onSettings();
    }

    @Override
    public void ping(boolean ack, long data) throws ConnectionErrorException {
        control.spend(1);
        if (!ack) {
            acknowledge(FrameWriter.ping(output.allocator(), true, data));
        }
    }

    private void acknowledge(ByteBuf answer) throws ConnectionErrorException {
        if (!output.acknowledge(answer)) {
            throw ConnectionErrorException.flood("the origin asks for answers and does not read them");
        }
    }

    @Override
    public void windowUpdate(int id, int increment) throws ConnectionErrorException {
        if (id == 0) {
            if (increment == 0) {
                throw ConnectionErrorException.protocol("WINDOW_UPDATE by nothing");
            }
            if (!output.grow(increment)) {
                throw ConnectionErrorException.flowControl("the connection's window is too large");
            }
            connection.creditGranted();
            return;
        }
        OriginHttp2Stream stream = streams.get(id);
        if (stream == null) {
            if (streams.past(id) == Past.IDLE) {
                throw ConnectionErrorException.protocol("WINDOW_UPDATE on a stream that was never opened");
            }
        } else if (increment == 0) {
            connection.breakOff(stream, Http2Error.PROTOCOL_ERROR);
        } else if (!stream.sendQueue().grow(increment)) {
            connection.breakOff(stream, Http2Error.FLOW_CONTROL_ERROR);
        } else {
            output.ready(stream);
            stream.creditGranted();
        }
    }

    @Override
    public void goAway(int lastStream, long code) throws ConnectionErrorException {
        control.spend(1);
        connection.onGoAway(lastStream, code);
    }

    @Override
    public void ignored() throws ConnectionErrorException {
        control.spend(1);
    }
}
