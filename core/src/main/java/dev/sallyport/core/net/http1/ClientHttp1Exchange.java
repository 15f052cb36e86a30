package dev.sallyport.core.net.http1;

import dev.sallyport.core.exchange.ClientStreamListener;
import dev.sallyport.core.exchange.DisconnectReason;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.HopByHop;
import dev.sallyport.core.http.ResponseMessage;
import dev.sallyport.core.http.UpgradeTokens;
import dev.sallyport.core.http1.MessageFraming;
import dev.sallyport.core.http1.ResponseHeadWriter;
import dev.sallyport.core.http1.ResponseHeadWriter.Persistence;
import dev.sallyport.core.http1.UnsendableMessageException;
import dev.sallyport.core.net.connection.HttpClientStream;
import dev.sallyport.core.net.connection.RequestGate;
import dev.sallyport.core.net.request.DecodedRequest;
import dev.sallyport.toolkit.headers.FieldSyntax;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One request and its response on an HTTP/1.1 connection. On the connection's loop. */
final class ClientHttp1Exchange extends HttpClientStream {

    private static final int NO_CONTENT = 204;
    private static final int ERRORS = 400;

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
    private ClientHttp1ResponseState response = ClientHttp1ResponseState.PENDING;
    private Framing framing = Framing.NONE;
    private long remaining;

    ClientHttp1Exchange(ClientHttp1Connection connection, CoalescingWriter out, DecodedRequest request) {
        this.connection = connection;
        this.out = out;
        this.request = request;
        this.headOnly = request.headOnly();
        this.keepAlive = request.terms().keepAlive();
        this.requestComplete = request.bodyless();
    }

    // Calls of the connection.

    /** The exchange has begun; if there is no body, the request ends. */
    void begun(ClientStreamListener begun) {
        if (response == ClientHttp1ResponseState.ENDED) {
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
        if (response == ClientHttp1ResponseState.UPGRADED) {
            response = response.clientEnds();
        }
        upload.end(new HeaderBlock(1));
        if (response == ClientHttp1ResponseState.ORIGIN_ENDED) {
            complete();
        }
    }

    private void complete() {
        response = response.completes();
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
        response = response.breaksOff();
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
        return response != ClientHttp1ResponseState.PENDING;
    }

    /** Whether it has become a relay of bytes that are not those of WebSocket, of which both sides may be silent for long. */
    boolean relaysBytes() {
        return response.isUpgraded() && !UpgradeTokens.WEBSOCKET.equals(request.upgrade());
    }

    /** Whether another request may follow on the connection. */
    boolean reusable() {
        return keepAlive && requestComplete;
    }

    /** Whether the client would mistake the connection's end for the message's. */
    private boolean endsWithConnection() {
        return response == ClientHttp1ResponseState.BEGUN && framing == Framing.UNTIL_CLOSE;
    }

    // Calls of the exchange.

    @Override
    public EventLoop loop() {
        return connection.loop();
    }

    @Override
    public void interim(ResponseMessage head) {
        if (response == ClientHttp1ResponseState.PENDING && request.terms().http11()) {
            guarded(() -> out.write(ResponseHeadWriter.interim(out.allocator(), head)));
        }
    }

    @Override
    protected boolean isPending() {
        return response == ClientHttp1ResponseState.PENDING;
    }

    @Override
    protected @Nullable String upgrade() {
        return request.upgrade();
    }

    @Override
    protected void finalHead(ResponseMessage head, boolean end) {
        int status = head.status();
        String declared = head.headers().first("Content-Length");
        boolean bodyless = MessageFraming.isBodiless(status, headOnly);
        long added = -1;
        response = response.begins();
        if (bodyless) {
            framing = Framing.NONE;
        } else if (declared != null || end || head.length() > 0) {
            framing = Framing.LENGTH;
            remaining = declared == null ? Math.max(0, head.length()) : declaredLength(declared);
            added = declared == null ? remaining : -1;
        } else if (request.terms().http11()) {
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
        return request.terms().http11() ? Persistence.UNSAID : Persistence.KEEP_ALIVE;
    }

    @Override
    protected void switchProtocol(ResponseMessage head) {
        response = response.upgrades();
        keepAlive = false;
        out.write(ResponseHeadWriter.switching(out.allocator(), head, Objects.requireNonNull(upgrade())));
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
            case UPGRADED, CLIENT_ENDED -> out.write(data);
            case PENDING, ORIGIN_ENDED, ENDED -> data.release();
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

    @Override
    public void end(HeaderBlock trailers) {
        switch (response) {
            case PENDING -> abort();
            case BEGUN -> endBody(trailers);
            case UPGRADED -> {
                response = response.originEnds();
                connection.endOutput();
            }
            case CLIENT_ENDED -> complete();
            case ORIGIN_ENDED, ENDED -> {}
        }
    }

    private void endBody(HeaderBlock trailers) {
        if (framing == Framing.LENGTH && remaining > 0) {
            abort();
            return;
        }
        if (framing == Framing.CHUNKED) {
            guarded(() -> out.endOfChunks(trailers));
        }
        if (response != ClientHttp1ResponseState.ENDED) {
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
        return request.terms().acceptsTrailers();
    }

    @Override
    public boolean mayCarryTrailers(long length) {
        return length < 0 && request.terms().http11();
    }

    @Override
    public void abort() {
        if (response != ClientHttp1ResponseState.ENDED) {
            boolean reset = endsWithConnection() || response.isUpgraded();
            response = response.breaksOff();
            upload.shut();
            connection.aborted(reset);
        }
    }
}
