package dev.sallyport.core.resolve;

import java.net.InetAddress;
import java.util.List;

/** What came of a question. */
sealed interface Answer {

    /** At least one address, in the order in which to try them. */
    record Found(List<InetAddress> addresses, long ttlSeconds) implements Answer {}

    /** None. */
    record Failed(ResolveException failure) implements Answer {}
}
