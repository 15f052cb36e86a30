package dev.sallyport.core.upstream;

import io.netty.channel.Channel;

/** Waits for a connection whose bytes are not ours to read. Exactly one of these is called, on the loop. */
public interface TunnelListener {

    /** Connected; nothing has been sent, and reading is on demand. The channel is the listener's to close. */
    void onConnected(Channel channel);

    /** There is no connection. */
    void onFailure(UpstreamFailure failure);
}
