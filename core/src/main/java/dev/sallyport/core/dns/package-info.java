/**
 * The DNS server that steers workloads to the proxy: it answers every name with the proxy's own address.
 *
 * <p>Everything runs on one event loop of its own and nothing is shared, so a flood of queries does not slow down
 * exchanges. Messages are read and written as bytes, without objects for records.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.dns.DnsServer}: binds, swaps its zone, closes
 *   <li>{@link dev.sallyport.core.dns.Query}: parses queries, and rejects what is not one
 * <li>{@link dev.sallyport.core.dns.Responder}: chooses the answer: a static record, the upstream resolver's, or the
 * proxy's address   <li>{@link dev.sallyport.core.dns.Forwarder}: asks the upstream resolver and accepts only matching
 * answers
 * </ul>
 */
@NullMarked
package dev.sallyport.core.dns;

import org.jspecify.annotations.NullMarked;
