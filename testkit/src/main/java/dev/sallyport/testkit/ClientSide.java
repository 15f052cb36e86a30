package dev.sallyport.testkit;

import dev.sallyport.core.exchange.ClientStream;
import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.ResponseMessage;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.io.ByteArrayOutputStream;
import java.util.concurrent.CompletableFuture;

/** The client's connection: collects what is sent to it. Confined to the loop until {@link #done} completes. */
final class ClientSide implements ClientStream {

    private final EventLoop loop;
    private final ByteArrayOutputStream content = new ByteArrayOutputStream();
    private final CompletableFuture<ClientSide> done = new CompletableFuture<>();
    private int status;
    private boolean complete;
    private HeaderLines headers = HeaderLines.NONE;
    private HeaderLines trailers = HeaderLines.NONE;

    ClientSide(EventLoop loop) {
        this.loop = loop;
    }

    /** Completes at the end of the response. */
    CompletableFuture<ClientSide> done() {
        return done;
    }

    int status() {
        return status;
    }

    boolean complete() {
        return complete;
    }

    HeaderLines headers() {
        return headers;
    }

    HeaderLines trailers() {
        return trailers;
    }

    byte[] content() {
        return content.toByteArray();
    }

    @Override
    public EventLoop loop() {
        return loop;
    }

    @Override
    public void interim(ResponseMessage head) {}

    @Override
    public void head(ResponseMessage head, boolean end) {
        status = head.status();
        headers = HeaderLines.of(head.headers());
        if (end) {
            finish(true);
        }
    }

    @Override
    public void data(ByteBuf data) {
        Bytes.drain(data, content);
    }

    @Override
    public void end(HeaderBlock fields) {
        trailers = HeaderLines.of(fields);
        finish(true);
    }

    @Override
    public boolean isWritable() {
        return true;
    }

    @Override
    public void consumed(int bytes) {}

    @Override
    public boolean acceptsTrailers() {
        return true;
    }

    @Override
    public void abort() {
        finish(false);
    }

    private void finish(boolean whole) {
        complete = whole;
        done.complete(this);
    }
}
