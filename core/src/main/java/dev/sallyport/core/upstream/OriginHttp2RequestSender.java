package dev.sallyport.core.upstream;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.MessageFaults;
import dev.sallyport.core.http.RequestMessage;
import dev.sallyport.core.http.WebSocketKey;
import dev.sallyport.core.http1.MessageFraming;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Sends the request of one stream and keeps it to the length that its head announced. Each step returns the fault, or
 * null when it has been written.
 */
final class OriginHttp2RequestSender {

    private enum State {
        HEAD,
        BODY,
        DONE
    }

    private final OriginHttp2Connection connection;
    private final OriginHttp2Stream stream;
    private State state = State.HEAD;
    private long remaining;
    private boolean toHead;
    private String key = "";

    OriginHttp2RequestSender(OriginHttp2Connection connection, OriginHttp2Stream stream) {
        this.connection = connection;
        this.stream = stream;
    }

    boolean isDone() {
        return state == State.DONE;
    }

    /** Whether the response ends with its head. */
    boolean toHead() {
        return toHead;
    }

    /** The key of the requested upgrade; empty when none was requested. */
    String key() {
        return key;
    }

    /**
     * The protocol of a request for an upgrade, which is sent as an extended CONNECT and stays open (RFC 8441); null
     * for other requests.
     */
    static @Nullable String upgrade(RequestMessage head) {
        return head.headers().hasToken("Connection", "upgrade") ? head.headers().first("Upgrade") : null;
    }

    @Nullable String head(RequestMessage head, boolean end) {
        require(state == State.HEAD, "head: sent already");
        String fault = MessageFaults.find(head);
        if (fault == null) {
            fault = MessageFraming.findFault(head, end);
        }
        if (fault != null) {
            return "request head: " + fault;
        }
        String protocol = upgrade(head);
        ByteBuf block = connection.encode(head, protocol);
        if (block == null) {
            return "request head: longer than the origin takes";
        }
        boolean ends = end && protocol == null;
        remaining = protocol == null ? head.length() : RequestMessage.UNKNOWN_LENGTH;
        toHead = head.method().equals("HEAD");
        key = protocol == null
                ? ""
                : String.valueOf(head.headers().first(WebSocketKey.FIELD)).strip();
        state = ends ? State.DONE : State.BODY;
        connection.open(stream, block, ends);
        if (ends) {
            stream.written();
        }
        if (end) {
            stream.awaitHead(); // anew when it has been sent; but it must be sent
        }
        return null;
    }

    /** Takes ownership of the buffer, which is not empty. */
    @Nullable String data(ByteBuf data) {
        if (state != State.BODY) {
            data.release();
            throw new IllegalStateException("data: no body is open");
        }
        if (remaining >= 0) {
            remaining -= data.readableBytes();
            if (remaining < 0) {
                data.release();
                return "request body: longer than its Content-Length";
            }
        }
        stream.enqueue(data);
        return null;
    }

    @Nullable String end(HeaderBlock trailers) {
        require(state == State.BODY, "end: no body is open");
        if (remaining > 0) {
            return "request body: shorter than its Content-Length";
        }
        String fault = MessageFaults.find(trailers);
        if (fault != null) {
            return "request trailers: " + fault;
        }
        state = State.DONE;
        stream.enqueueEnd(trailers);
        return null;
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalStateException(otherwise);
        }
    }
}
