package dev.sallyport.core;

import dev.sallyport.core.loop.EventLoops;
import dev.sallyport.core.upstream.OperatorHttp;
import dev.sallyport.core.upstream.OperatorNames;
import dev.sallyport.core.upstream.OperatorSockets;
import dev.sallyport.spi.AddressResolver;
import dev.sallyport.spi.Connector;
import dev.sallyport.spi.HttpCaller;

/** How the proxy itself, its sources and transforms reach the hosts that the operator configured. */
record OperatorCalls(HttpCaller http, AddressResolver names, Connector sockets) {

    static OperatorCalls over(EventLoops loops, UpstreamRuntime upstream) {
        return new OperatorCalls(
                new OperatorHttp(loops.group(), upstream.pools()),
                new OperatorNames(loops.group(), upstream::resolveAll),
                new OperatorSockets(loops.group(), upstream.pools()));
    }
}
