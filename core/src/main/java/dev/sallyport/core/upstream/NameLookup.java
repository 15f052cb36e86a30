package dev.sallyport.core.upstream;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.util.List;

/** Finds the addresses of names. Thread-safe. */
@FunctionalInterface
public interface NameLookup {

    /** Returns a future of this loop, with the addresses in the order in which to try them. */
    Future<List<InetAddress>> resolveAll(EventLoop loop, String host);
}
