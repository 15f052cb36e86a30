package dev.sallyport.core.net.connection;

import io.netty.channel.ChannelHandler;

/** Makes the stage that detects the protocol inside a tunnel, for the handlers that open tunnels. */
@FunctionalInterface
public interface TunnelInterior {

    /** The name of that stage in the pipeline. */
    String STAGE = "first";

    ChannelHandler begin(ClientConnection inside);
}
