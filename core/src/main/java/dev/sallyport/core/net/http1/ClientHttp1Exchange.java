package dev.sallyport.core.net.http1;

import dev.sallyport.core.exchange.ClientStream;
import dev.sallyport.core.exchange.ClientStreamListener;
import dev.sallyport.core.exchange.DisconnectReason;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.HopByHop;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.http1.MessageFraming;
import dev.sallyport.core.http1.ResponseHeadWriter;
import dev.sallyport.core.http1.ResponseHeadWriter.Persistence;
import dev.sallyport.core.http1.UnsendableMessageException;
import dev.sallyport.core.net.connection.RequestGate;
import dev.sallyport.core.net.request.DecodedRequest;
import dev.sallyport.toolkit.headers.FieldSyntax;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.LastHttpContent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One request and its response on an HTTP/1.1 connection. On the connection's loop. */
final class ClientHttp1Exchange implements ClientStream {

    private static final Logger LOG = LoggerFactory.getLogger(ClientHttp1Exchange.class);
    private static final HeaderBlock NONE = new HeaderBlock(1);
    private static final int SWITCHING_PROTOCOLS = 101;
    private static final int OK = 200;
    private static final int NO_CONTENT = 204;
    private static final int ERRORS = 400;

    /** The progress of the response. */
    private enum Response {
        /** The head is still to come. */
        PENDING,
        /** The head has been written. */
        BEGUN,
        /** Another protocol, after 101. */
        UPGRADED,
        /** Nothing more may be sent. */
        ENDED
    }

    /** How the end of the response's body is marked, once the response has begun. */
    private enum Framing {
        /** There is no body. */
        NONE,
        LENGTH,
        CHUNKED,
        /** The body ends with the connection (RFC 9112, 6.3). */
        UNTIL_CLOSE
    }

    private final ClientHttp1Connection connection;
    private final CoalescingWriter out;
    private final DecodedRequest request;

    /** As the client requested: transforms may change the method. */
    private final boolean headOnly;

    private final RequestGate upload = new RequestGate();

    private boolean keepAlive;
    private boolean requestComplete;
    private int outstanding;
    private Response response = Response.PENDING;
    private Framing framing = Framing.NONE;
    private long remaining;

    /** The client has closed its half; after 101 each half ends by itself. */
    private boolean clientEnded;

    private boolean originEnded;

    ClientHttp1Exchange(ClientHttp1Connection connection, CoalescingWriter out, DecodedRequest request) {
        this.connection = connection;
        this.out = out;
        this.request = request;
        this.headOnly = request.headOnly();
        this.keepAlive = request.keepAlive();
        this.requestComplete = request.bodyless();
    }

    // Calls of the connection.

    /** The exchange has begun; if there is no body, the request ends. */
    void begun(ClientStreamListener begun) {
        if (response == Response.ENDED) {
            return;
        }
        upload.open(begun);
        if (requestComplete) {
            upload.end(new HeaderBlock(1));
        }
    }

    /** A part of the body; the exchange owns the buffer. */
    void received(HttpContent content) {
        ByteBuf data = content.content();
        boolean last = content instanceof LastHttpContent;
        if (last) {
            // Before anybody can respond: a response to a complete request keeps the connection.
            requestComplete = true;
            connection.requestComplete();
        }
        if (data.isReadable()) {
            pass(data);
        } else {
            data.release();
        }
        if (last) {
            ended(trailers(content));
        }
    }

    private static HeaderBlock trailers(HttpContent content) {
        return content instanceof LastHttpContent end && end.trailingHeaders() instanceof HeaderBlock block
                ? block
                : new HeaderBlock(1);
    }

    /** Bytes of another protocol, after 101. */
    void receivedRaw(ByteBuf data) {
        pass(data);
    }

    /** The client's half of another protocol has ended, after 101. */
    void rawEnded() {
        clientEnded = true;
        upload.end(new HeaderBlock(1));
        if (originEnded) {
            finishRaw();
        }
    }

    private void finishRaw() {
        if (response == Response.UPGRADED) {
            complete();
        }
    }

    private void complete() {
        response = Response.ENDED;
        upload.shut();
        connection.finished(this);
    }

    private void pass(ByteBuf data) {
        if (upload.isOpen()) {
            outstanding += data.readableBytes();
        }
        upload.data(data);
    }

    private void ended(HeaderBlock trailers) {
        if (!trailers.isEmpty()) {
            HopByHop.strip(trailers);
        }
        upload.end(trailers);
    }

    /** The body broke off; the exchange may still respond. */
    void broken(Refusal why) {
        keepAlive = false;
        upload.broken(why);
    }

    /** The client is gone. */
    void gone(DisconnectReason why) {
        response = Response.ENDED;
        upload.gone(why);
    }

    /** The connection ends with the response, whatever it is. */
    void closeAfterwards() {
        keepAlive = false;
    }

    void writable() {
        upload.writable();
    }

    /** The number of bytes that the exchange has not passed on yet. */
    int outstanding() {
        return outstanding;
    }

    /** Whether the request has been received to its end. */
    boolean isRequestComplete() {
        return requestComplete;
    }

    /** Whether a response has begun. */
    boolean isAnswered() {
        return response != Response.PENDING;
    }

    /** Whether another request may follow on the connection. */
    boolean reusable() {
        return keepAlive && requestComplete;
    }

    /** Whether the client would mistake the connection's end for the message's. */
    private boolean endsWithConnection() {
        return response == Response.BEGUN && framing == Framing.UNTIL_CLOSE;
    }

    // Calls of the exchange.

    @Override
    public EventLoop loop() {
        return connection.loop();
    }

    @Override
    public void interim(ResponseMessage head) {
        if (response == Response.PENDING && request.http11()) {
            guarded(() -> out.write(ResponseHeadWriter.interim(out.allocator(), head)));
        }
    }

    @Override
    public void head(ResponseMessage head, boolean end) {
        if (response == Response.PENDING) {
            guarded(() -> {
                if (head.status() < OK) {
                    switchProtocol(head);
                } else {
                    finalHead(head, end);
                }
            });
        }
    }

    /** A head that cannot be written ends the exchange; nothing partial may be sent instead. */
    private void guarded(Runnable writing) {
        try {
            writing.run();
        } catch (IllegalArgumentException e) {
            LOG.warn("a response cannot be sent: {}", e.getMessage());
            abort();
        }
    }

    private void finalHead(ResponseMessage head, boolean end) {
        int status = head.status();
        String declared = head.headers().first("Content-Length");
        boolean bodyless = MessageFraming.isBodiless(status, headOnly);
        long added = -1;
        response = Response.BEGUN;
        if (bodyless) {
            framing = Framing.NONE;
        } else if (declared != null || end || head.length() > 0) {
            framing = Framing.LENGTH;
            remaining = declared == null ? Math.max(0, head.length()) : declaredLength(declared);
            added = declared == null ? remaining : -1;
        } else if (request.http11()) {
            framing = Framing.CHUNKED;
        } else {
            framing = Framing.UNTIL_CLOSE;
            keepAlive = false;
        }
        if (connection.isDraining() || (status >= ERRORS && !requestComplete)) {
            keepAlive = false;
        }
        out.write(ResponseHeadWriter.head(
                out.allocator(), head, status != NO_CONTENT, added, framing == Framing.CHUNKED, persistence()));
        if (end) {
            end(new HeaderBlock(1));
        }
    }

    private static long declaredLength(String digits) {
        long length = FieldSyntax.length(digits);
        if (length == FieldSyntax.INVALID_LENGTH) {
            throw new UnsendableMessageException("the Content-Length is not a number of bytes");
        }
        return length;
    }

    private Persistence persistence() {
        if (!keepAlive) {
            return Persistence.CLOSE;
        }
        return request.http11() ? Persistence.UNSAID : Persistence.KEEP_ALIVE;
    }

    private void switchProtocol(ResponseMessage head) {
        String upgrade = request.upgrade();
        if (head.status() != SWITCHING_PROTOCOLS || upgrade == null) {
            throw new IllegalArgumentException(
                    "head: " + head.status() + " (expected: 200 to 599, or 101 when asked for)");
        }
        response = Response.UPGRADED;
        keepAlive = false;
        out.write(ResponseHeadWriter.switching(out.allocator(), head, upgrade));
        connection.switchProtocol();
    }

    @Override
    public void data(ByteBuf data) {
        int size = data.readableBytes();
        if (size == 0) {
            data.release();
            return;
        }
        switch (response) {
            case BEGUN -> body(data, size);
            case UPGRADED -> raw(data);
            case PENDING, ENDED -> data.release();
        }
    }

    private void body(ByteBuf data, int size) {
        switch (framing) {
            case UNTIL_CLOSE -> out.write(data);
            case CHUNKED -> out.chunk(data);
            case LENGTH -> {
                remaining -= size;
                if (remaining < 0) {
                    data.release();
                    abort();
                } else {
                    out.write(data);
                }
            }
            case NONE -> data.release();
        }
    }

    private void raw(ByteBuf data) {
        if (originEnded) {
            data.release();
        } else {
            out.write(data);
        }
    }

    private void endRaw() {
        if (originEnded) {
            return;
        }
        originEnded = true;
        if (clientEnded) {
            finishRaw();
        } else {
            connection.endOutput();
        }
    }

    @Override
    public void end(HeaderBlock trailers) {
        switch (response) {
            case PENDING -> abort();
            case BEGUN -> endBody(trailers);
            case UPGRADED -> endRaw();
            case ENDED -> {}
        }
    }

    private void endBody(HeaderBlock trailers) {
        if (framing == Framing.LENGTH && remaining > 0) {
            abort();
            return;
        }
        if (framing == Framing.CHUNKED) {
            guarded(() -> out.endOfChunks(acceptsTrailers() ? trailers : NONE));
        }
        if (response != Response.ENDED) {
            complete();
        }
    }

    @Override
    public boolean isWritable() {
        return out.isWritable();
    }

    @Override
    public void consumed(int bytes) {
        outstanding -= bytes;
        connection.readMore();
    }

    @Override
    public boolean acceptsTrailers() {
        return request.acceptsTrailers();
    }

    @Override
    public void abort() {
        if (response != Response.ENDED) {
            boolean reset = endsWithConnection() || response == Response.UPGRADED;
            response = Response.ENDED;
            upload.shut();
            connection.aborted(reset);
        }
    }
}
