package dev.sallyport.core.exchange;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.core.http.ResponseMessage;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A client that writes down what it is told. */
final class RecordingClient implements ClientStream {

    final List<String> told = new ArrayList<>();
    boolean writable = true;
    private final EmbeddedChannel channel;

    RecordingClient() {
        this(new EmbeddedChannel());
    }

    /** @param channel whose loop is the client's */
    RecordingClient(EmbeddedChannel channel) {
        this.channel = channel;
    }

    @Override
    public EventLoop loop() {
        return channel.eventLoop();
    }

    @Override
    public void interim(ResponseMessage head) {
        told.add("interim " + head.status());
    }

    @Override
    public void head(ResponseMessage head, boolean end) {
        told.add(head.status() + (end ? " whole" : ""));
    }

    @Override
    public void data(ByteBuf data) {
        told.add("data " + data.toString(StandardCharsets.UTF_8));
        data.release();
    }

    @Override
    public void end(HeaderBlock trailers) {
        told.add("end");
    }

    @Override
    public boolean isWritable() {
        return writable;
    }

    @Override
    public void consumed(int bytes) {
        told.add("+" + bytes);
    }

    @Override
    public boolean acceptsTrailers() {
        return true;
    }

    @Override
    public void abort() {
        told.add("abort");
    }
}
