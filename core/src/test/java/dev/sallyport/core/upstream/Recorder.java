package dev.sallyport.core.upstream;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.testsupport.Patience;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Writes down what a listener is told, and gives the credit back at once. */
class Recorder implements UpstreamListener {

    sealed interface Event {}

    record Ready(UpstreamStream stream) implements Event {}

    record Interim(ResponseMessage head) implements Event {}

    record Head(ResponseMessage head, boolean end) implements Event {}

    record Tolerated(String code) implements Event {}

    record Ended(String body, HeaderBlock trailers) implements Event {}

    record Failed(UpstreamFailure failure) implements Event {}

    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> pieces = new LinkedBlockingQueue<>();
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    volatile UpstreamStream stream;

    /** The next event, which must be of this type. */
    <E extends Event> E await(Class<E> type) {
        Event event = next();
        if (!type.isInstance(event)) {
            throw new AssertionError("event: " + event + " (expected: " + type.getSimpleName() + ")");
        }
        return type.cast(event);
    }

    /** The next event, or null when none comes. */
    Event next() {
        try {
            return events.poll(Patience.SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** The failure that is the next event. */
    UpstreamFailure failure() {
        return await(Failed.class).failure();
    }

    /** The next piece of the body. */
    String piece() {
        try {
            return pieces.poll(Patience.SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    boolean isSilent() {
        return events.isEmpty();
    }

    @Override
    public void onReady(UpstreamStream ready) {
        stream = ready;
        events.add(new Ready(ready));
    }

    @Override
    public void onInterim(ResponseMessage head) {
        events.add(new Interim(head));
    }

    @Override
    public void onHead(ResponseMessage head, boolean end) {
        events.add(new Head(head, end));
    }

    @Override
    public void onData(ByteBuf data) {
        int length = data.readableBytes();
        byte[] bytes = new byte[length];
        data.readBytes(bytes).release();
        body.writeBytes(bytes);
        pieces.add(new String(bytes, StandardCharsets.ISO_8859_1));
        stream.consumed(length);
    }

    @Override
    public void onTolerated(String code) {
        events.add(new Tolerated(code));
    }

    @Override
    public void onEnd(HeaderBlock trailers) {
        events.add(new Ended(body.toString(StandardCharsets.ISO_8859_1), trailers));
    }

    @Override
    public void onWritable() {}

    @Override
    public void onFailure(UpstreamFailure failure) {
        events.add(new Failed(failure));
    }
}
