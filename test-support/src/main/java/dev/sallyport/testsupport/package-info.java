/**
 * Helpers that the tests of several modules share: peers that put exact bytes on the wire, and origins, certificates
 * and name servers on loopback. Independent of Sallyport's own modules.
 *
 * <p>Starting points:
 *
 * <ul>
 *   <li>{@link dev.sallyport.testsupport.Wire}: one end of a connection; {@link dev.sallyport.testsupport.Http2Peer}
 *       and {@link dev.sallyport.testsupport.WebSocketFrames} speak over it
 *   <li>{@link dev.sallyport.testsupport.TestOrigin}: an origin that follows a script, or answers HTTP/1.1 requests
 *   <li>{@link dev.sallyport.testsupport.TestCertificates}, {@link dev.sallyport.testsupport.ClientHelloBuilder}: TLS
 *   <li>{@link dev.sallyport.testsupport.DnsClient}, {@link dev.sallyport.testsupport.TestDnsServer}: DNS
 *   <li>{@link dev.sallyport.testsupport.Tools}, {@link dev.sallyport.testsupport.NetworkNamespace}: programs and network
 *       namespaces of the machine
 *   <li>{@link dev.sallyport.testsupport.Patience}: how long tests wait for what must come
 *   <li>{@link dev.sallyport.testsupport.Ports}: ports at which nobody listens yet
 *   <li>{@link dev.sallyport.testsupport.SentenceNames}: the names of tests in reports
 * </ul>
 */
@NullMarked
package dev.sallyport.testsupport;

import org.jspecify.annotations.NullMarked;
