package dev.sallyport.core.net;

import dev.sallyport.core.http2.HeadCuts;
import dev.sallyport.core.loop.PacedReads;
import dev.sallyport.core.net.connection.ClientAddress;
import dev.sallyport.core.net.connection.ClientConnection;
import dev.sallyport.core.net.connection.TunnelInterior;
import dev.sallyport.core.net.http1.ClientHttp1Connection;
import dev.sallyport.core.net.http1.ClientHttp1Decoder;
import dev.sallyport.core.net.http2.ClientHttp2Connection;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelPipeline;

/** Installs the stages of a connection in its pipeline. */
final class PipelineConfigurator {

    static final String FIRST = TunnelInterior.STAGE;
    static final String SOCKS = "socks";
    static final String HELLO = "hello";
    static final String ALERT = "alert";
    static final String CLOSE_NOTIFY = "close-notify";
    static final String TLS = "tls";
    static final String PROXY_TLS = "proxy-tls";
    static final String DECODER = "decoder";
    static final String HTTP = "http";
    static final String PASSTHROUGH = "passthrough";

    private PipelineConfigurator() {}

    /** The first stage of an accepted connection. */
    static void accepted(ClientConnection connection) {
        ChannelPipeline pipeline = connection.channel().pipeline();
        if (connection.ingress().original() != null) {
            // Redirected from any port to any listener: only the first bytes tell the protocol.
            pipeline.addLast(FIRST, new ProtocolSniffingHandler(connection));
            return;
        }
        switch (connection.ingress().listener()) {
            case HTTP -> pipeline.addLast(FIRST, new Http2PrefaceHandler(connection));
            case HTTPS -> pipeline.addLast(HELLO, new ClientHelloHandler(connection));
            case TUNNEL -> pipeline.addLast(FIRST, new ProtocolSniffingHandler(connection));
        }
    }

    /** Installs HTTP/1.1, which gets the bytes that the previous stage holds. */
    static void http(ChannelPipeline pipeline, ChannelHandler previous, ClientConnection connection) {
        ClientHttp1Decoder decoder = new ClientHttp1Decoder(connection.limits(), connection.heads());
        pipeline.addAfter(pipeline.context(previous).name(), DECODER, decoder);
        PacedReads reads = new PacedReads(connection.loop()).onBehalfOf(address(connection));
        pipeline.addLast(HTTP, new ClientHttp1Connection(connection, decoder, reads));
        pace(pipeline, previous, reads);
    }

    /** Installs HTTP/2, from its preface on; it gets the bytes that the previous stage holds. */
    static void http2(ChannelPipeline pipeline, ChannelHandler previous, ClientConnection connection) {
        pipeline.addAfter(pipeline.context(previous).name(), HTTP, new ClientHttp2Connection(connection));
        pace(
                pipeline,
                previous,
                new PacedReads(connection.loop(), new HeadCuts(HeadCuts.PREFACE)).onBehalfOf(address(connection)));
    }

    private static ClientAddress address(ClientConnection connection) {
        return ClientAddress.of(connection.peer().getAddress());
    }

    /** Its place in a tunnel is behind that of the connection around it, which stays. */
    private static void pace(ChannelPipeline pipeline, ChannelHandler previous, PacedReads reads) {
        pipeline.replace(previous, null, reads);
    }
}
