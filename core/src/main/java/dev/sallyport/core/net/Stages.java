package dev.sallyport.core.net;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import org.jspecify.annotations.Nullable;

/** Puts the stages of a connection into its pipeline. */
final class Stages {

    static final String FIRST = "first";
    static final String SOCKS = "socks";
    static final String HELLO = "hello";
    static final String TLS = "tls";
    static final String DECODER = "decoder";
    static final String HTTP = "http";

    private Stages() {}

    /** The first stage of an accepted connection. */
    static void accepted(Entry entry) {
        ChannelPipeline pipeline = entry.channel().pipeline();
        if (entry.entrance().original() != null) {
            // From any port, to any listener: what it speaks is for its first bytes to say.
            pipeline.addLast(FIRST, new FirstBytesHandler(entry));
            return;
        }
        switch (entry.entrance().listener()) {
            case HTTP -> http(pipeline, null, entry);
            case HTTPS -> pipeline.addLast(HELLO, new HelloHandler(entry));
            case TUNNEL -> pipeline.addLast(FIRST, new FirstBytesHandler(entry));
        }
    }

    /** Inside a tunnel; bytes that the decoder holds belong there. */
    static void tunnel(ChannelPipeline pipeline, ChannelHandler connection, RequestDecoder decoder, Entry inside) {
        pipeline.channel().config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, false);
        pipeline.replace(connection, FIRST, new FirstBytesHandler(inside));
        pipeline.remove(decoder);
    }

    /** HTTP/1.1; bytes that the previous stage holds come to it. */
    static void http(ChannelPipeline pipeline, @Nullable ChannelHandler previous, Entry entry) {
        RequestDecoder decoder = new RequestDecoder(entry.limits());
        Http1Connection connection = new Http1Connection(entry, decoder);
        if (previous == null) {
            pipeline.addLast(DECODER, decoder);
            pipeline.addLast(HTTP, connection);
        } else {
            pipeline.addLast(HTTP, connection);
            pipeline.replace(previous, DECODER, decoder);
        }
    }
}
