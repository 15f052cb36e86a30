package dev.sallyport.core.net;

import dev.sallyport.spi.ListenerKind;
import java.net.InetSocketAddress;

/**
 * One listener.
 *
 * @param kind what it takes
 * @param address where it listens; port 0 takes any free one
 */
public record ListenerSettings(ListenerKind kind, InetSocketAddress address) {}
