package dev.sallyport.core.upstream;

import io.netty.channel.Channel;

/** Receives the outcome of a tunnel attempt. Exactly one method is called, on the loop. */
public interface TunnelListener {

    /** The connection is open; nothing has been sent, and reading is on demand. The listener owns the channel. */
    void onConnected(Channel channel, OriginEndpoint endpoint);

    /** The attempt has failed. */
    void onFailure(UpstreamFailure failure);
}
