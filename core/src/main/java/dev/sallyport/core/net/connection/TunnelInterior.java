package dev.sallyport.core.net.connection;

import io.netty.channel.ChannelHandler;

/** Makes the stage that finds out what is spoken inside a tunnel, for those who open tunnels. */
@FunctionalInterface
public interface TunnelInterior {

    /** The name of that stage in the pipeline. */
    String STAGE = "first";

    ChannelHandler begin(ClientConnection inside);
}
