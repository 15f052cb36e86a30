package dev.sallyport.core.upstream;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http1.MessageFraming;
import dev.sallyport.core.http1.RequestHeadWriter;
import dev.sallyport.core.http1.UnsendableMessageException;
import dev.sallyport.core.parent.Parent;
import dev.sallyport.core.parent.ParentException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import org.jspecify.annotations.Nullable;

/**
 * Sends the request of one stream and keeps it to the framing that its head announced. Each step returns the fault, or
 * null when it has been written.
 */
final class OriginHttp1RequestSender {

    private enum State {
        HEAD,
        SIZED,
        CHUNKED,
        RAW,
        DONE
    }

    private final OriginHttp1Connection connection;
    private final ChannelFutureListener sent;
    private State state = State.HEAD;
    private long remaining;
    private boolean upgradeAsked;

    /** @param sent notified when the transport has taken the last byte, or refused it */
    OriginHttp1RequestSender(OriginHttp1Connection connection, ChannelFutureListener sent) {
        this.connection = connection;
        this.sent = sent;
    }

    boolean isBegun() {
        return state != State.HEAD;
    }

    boolean isDone() {
        return state == State.DONE;
    }

    /** Whether the origin may switch protocols now. */
    boolean allowsSwitch() {
        return upgradeAsked && state == State.DONE;
    }

    /** The origin has switched protocols: bytes are sent unchanged from here on. */
    void becomeRaw() {
        state = State.RAW;
    }

    @Nullable String head(RequestMessage head, boolean end) {
        require(state == State.HEAD, "head: sent already");
        String fault = MessageFraming.findFault(head, end);
        if (fault != null) {
            return "request head: " + fault;
        }
        boolean chunked = !end && !head.headers().contains("Content-Length");
        ByteBuf encoded;
        try {
            encoded = encode(head, chunked);
        } catch (UnsendableMessageException e) {
            return "request head: " + e.fault();
        } catch (ParentException e) {
            return "parent proxy: " + e.message();
        }
        remaining = head.length();
        upgradeAsked = head.headers().contains("Upgrade");
        connection.decoder().expect(head.method().equals("HEAD"));
        if (end) {
            state = State.DONE;
            connection.write(encoded).addListener(sent);
            connection.awaitHead(); // anew when it has been sent; but it must be sent
        } else {
            state = chunked ? State.CHUNKED : State.SIZED;
            connection.writeTimed(encoded);
        }
        return null;
    }

    private ByteBuf encode(RequestMessage head, boolean chunked) throws ParentException {
        Parent forwarding = connection.forwarding();
        return forwarding == null
                ? RequestHeadWriter.head(allocator(), head, chunked)
                : RequestHeadWriter.toForward(
                        allocator(),
                        head,
                        chunked,
                        connection.destination().authority(),
                        forwarding.login().basic());
    }

    /** Takes ownership of the buffer, which is not empty. */
    @Nullable String data(ByteBuf data) {
        switch (state) {
            case SIZED -> {
                remaining -= data.readableBytes();
                if (remaining < 0) {
                    data.release();
                    return "request body: longer than its Content-Length";
                }
                connection.writeTimed(data);
            }
            case CHUNKED -> {
                connection.write(connection.chunks().begin(allocator(), data.readableBytes()));
                connection.writeTimed(data);
            }
            case RAW -> connection.write(data);
            case HEAD, DONE -> {
                data.release();
                require(false, "data: no body is open");
            }
        }
        return null;
    }

    @Nullable String end(HeaderBlock trailers) {
        switch (state) {
            case SIZED -> {
                if (remaining != 0) {
                    return "request body: shorter than its Content-Length";
                }
                finish(Unpooled.EMPTY_BUFFER);
            }
            case CHUNKED -> {
                try {
                    finish(connection.chunks().end(allocator(), trailers));
                } catch (UnsendableMessageException e) {
                    return "request trailers: " + e.fault();
                }
            }
            case RAW -> {
                state = State.DONE;
                connection.endOutput();
            }
            case HEAD, DONE -> require(false, "end: no body is open");
        }
        return null;
    }

    private void finish(ByteBuf last) {
        state = State.DONE;
        connection.writeTimed(last).addListener(sent);
    }

    private ByteBufAllocator allocator() {
        return connection.channel().alloc();
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalStateException(otherwise);
        }
    }
}
