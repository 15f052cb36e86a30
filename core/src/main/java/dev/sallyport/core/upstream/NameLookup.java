package dev.sallyport.core.upstream;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.util.List;

/** Resolves names to addresses. Thread-safe. */
@FunctionalInterface
public interface NameLookup {

    /** Returns the addresses in the order in which to try them. The future belongs to the loop. */
    Future<List<InetAddress>> resolveAll(EventLoop loop, String host);
}
