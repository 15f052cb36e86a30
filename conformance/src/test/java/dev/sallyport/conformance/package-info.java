/**
 * Real clients and public test suites against a whole proxy.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@code Gate}: the proxy under test
 *   <li>{@code ClientMatrixTest}: one request, sent by every client that this machine has
 *   <li>{@code GrpcTest}: gRPC's interoperability cases with grpc-java on both sides
 *   <li>{@code mcp}: the Model Context Protocol
 *   <li>{@code upgrade}: docker and kubectl, which switch to protocols of their own
 *   <li>{@code Autobahn}: the test suite for WebSocket implementations, with {@code -Pfull} only
 * </ul>
 */
@NullMarked
package dev.sallyport.conformance;

import org.jspecify.annotations.NullMarked;
