package dev.sallyport.core.upstream;

import java.net.InetSocketAddress;
import java.util.List;

/** Receives the result of a route check in exactly one call, on the loop. */
public interface RouteCheckListener {

    /** There are addresses that may be dialled, at least one, in the order in which they would be tried. */
    void onPassed(List<InetSocketAddress> addresses);

    /** No address may be dialled. */
    void onFailure(UpstreamFailure failure);
}
