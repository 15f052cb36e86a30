package dev.sallyport.core.tls;

import io.netty.channel.Channel;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.FutureListener;

/**
 * Keeps a leaf reachable until a handshake is over, and no longer: a future lets go of its listeners when it completes.
 */
record LeafRetention(LeafCertificate leaf) implements FutureListener<Channel> {

    @Override
    public void operationComplete(Future<Channel> handshake) {
        // To have been reachable until now was the purpose.
    }
}
