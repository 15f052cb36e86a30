package dev.sallyport.core.upstream;

import dev.sallyport.spi.AddressResolver;
import dev.sallyport.toolkit.match.Hosts;
import dev.sallyport.toolkit.match.InvalidHostException;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Resolves hosts that the operator configured, for transforms that open connections of their own. Thread-safe. */
public final class OperatorNames implements AddressResolver {

    private final EventLoopGroup loops;
    private final NameLookup lookup;

    /** A resolver that runs on any of these loops. */
    public OperatorNames(EventLoopGroup loops, NameLookup lookup) {
        this.loops = loops;
        this.lookup = lookup;
    }

    @Override
    public CompletionStage<List<InetAddress>> resolve(String host) {
        String canonical;
        try {
            canonical = Hosts.canonical(host);
        } catch (InvalidHostException e) {
            return CompletableFuture.failedFuture(new IOException(e.getMessage(), e));
        }
        CompletableFuture<List<InetAddress>> result = new CompletableFuture<>();
        EventLoop loop = loops.next();
        lookup.resolveAll(loop, canonical).addListener((Future<List<InetAddress>> found) -> {
            if (found.isSuccess()) {
                result.complete(found.getNow());
            } else {
                result.completeExceptionally(new IOException(found.cause().getMessage(), found.cause()));
            }
        });
        return result;
    }
}
