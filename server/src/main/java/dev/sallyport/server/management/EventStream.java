package dev.sallyport.server.management;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.util.concurrent.Future;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Events on their way to one client. They wait in a bounded queue while the client does not read; beyond it they are
 * dropped, and an event {@code skipped} tells how many.
 */
final class EventStream implements EventSource.EventSink {

    private static final int MAX_EVENTS = 1024;
    private static final long MAX_BYTES = 1 << 20;
    private static final long HEARTBEAT_SECONDS = 15;
    private static final byte[] HEARTBEAT = ":\n\n".getBytes(StandardCharsets.US_ASCII);

    private final Channel channel;

    // Guarded by this.
    private final ArrayDeque<byte[]> queue = new ArrayDeque<>();
    private long bytes;
    private long skipped;

    /** Whether {@link #send} will run, or goes on when the channel is writable. */
    private boolean woken;

    // On the channel's loop.
    private EventSource.@Nullable Subscription subscription;
    private @Nullable Future<?> heartbeat;

    EventStream(Channel channel) {
        this.channel = channel;
    }

    /** Begins. On the loop, after the head of the response. */
    void begin(EventSource source) {
        heartbeat = channel.eventLoop()
                .scheduleAtFixedRate(this::beat, HEARTBEAT_SECONDS, HEARTBEAT_SECONDS, TimeUnit.SECONDS);
        subscription = source.subscribe(this);
        channel.flush();
    }

    @Override
    public void event(String name, byte[] data) {
        byte[] event = encode(name, data);
        synchronized (this) {
            if (queue.size() >= MAX_EVENTS || (bytes + event.length > MAX_BYTES && !queue.isEmpty())) {
                skipped++;
                return;
            }
            if (skipped > 0) {
                add(gap());
            }
            add(event);
            if (woken) {
                return;
            }
            woken = true;
        }
        channel.eventLoop().execute(this::send);
    }

    /** The lock is held. */
    private void add(byte[] event) {
        queue.add(event);
        bytes += event.length;
    }

    /** Tells of what was dropped. The lock is held. */
    private byte[] gap() {
        byte[] event = encode("skipped", ("{\"count\":" + skipped + "}").getBytes(StandardCharsets.US_ASCII));
        skipped = 0;
        return event;
    }

    /** The client reads again. On the loop. */
    void writable() {
        send();
    }

    /** The client has left. On the loop. Idempotent. */
    void close() {
        EventSource.Subscription open = subscription;
        subscription = null;
        if (open != null) {
            open.close();
        }
        Future<?> beating = heartbeat;
        heartbeat = null;
        if (beating != null) {
            beating.cancel(false);
        }
        synchronized (this) {
            queue.clear();
            bytes = 0;
        }
    }

    private void send() {
        while (channel.isWritable()) {
            byte[] next = next();
            if (next == null) {
                break;
            }
            write(next);
        }
        channel.flush();
    }

    /** The next event; with the last, {@link #event} has to call again. */
    private synchronized byte @Nullable [] next() {
        byte[] event = queue.poll();
        if (event != null) {
            bytes -= event.length;
            return event;
        }
        if (skipped > 0) {
            return gap();
        }
        woken = false;
        return null;
    }

    private void beat() {
        if (channel.isWritable()) {
            write(HEARTBEAT);
            channel.flush();
        }
    }

    private void write(byte[] text) {
        ByteBuf buffer = channel.alloc().buffer(text.length).writeBytes(text);
        channel.write(new DefaultHttpContent(buffer), channel.voidPromise());
    }

    private static byte[] encode(String name, byte[] data) {
        byte[] head = ("event: " + name + "\ndata: ").getBytes(StandardCharsets.UTF_8);
        byte[] event = new byte[head.length + data.length + 2];
        System.arraycopy(head, 0, event, 0, head.length);
        System.arraycopy(data, 0, event, head.length, data.length);
        event[event.length - 2] = '\n';
        event[event.length - 1] = '\n';
        return event;
    }
}
