package dev.sallyport.core.net;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;

/** Puts the stages of a connection into its pipeline. */
final class Stages {

    static final String FIRST = "first";
    static final String SOCKS = "socks";
    static final String HELLO = "hello";
    static final String ALERT = "alert";
    static final String TLS = "tls";
    static final String DECODER = "decoder";
    static final String HTTP = "http";
    static final String RELAY = "relay";

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
            case HTTP -> pipeline.addLast(FIRST, new PrefaceHandler(entry));
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
    static void http(ChannelPipeline pipeline, ChannelHandler previous, Entry entry) {
        RequestDecoder decoder = new RequestDecoder(entry.limits(), entry.heads());
        pipeline.addLast(HTTP, new Http1Connection(entry, decoder));
        pipeline.replace(previous, DECODER, decoder);
    }

    /** HTTP/2, from its preface; bytes that the previous stage holds come to it. */
    static void http2(ChannelPipeline pipeline, ChannelHandler previous, Entry entry) {
        pipeline.replace(previous, HTTP, new Http2Connection(entry));
    }
}
