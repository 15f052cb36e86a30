package dev.sallyport.server.otlp;

import dev.sallyport.core.tls.TrustRoots;
import dev.sallyport.core.upstream.OperatorHttp;
import dev.sallyport.spi.Connector;

/**
 * The ways to one collector.
 *
 * @param http a client that no workload shares
 * @param sockets connections on the same ways, for gRPC
 * @param roots what the collector's certificate must end in
 */
record Collector(OperatorHttp http, Connector sockets, TrustRoots roots) {}
