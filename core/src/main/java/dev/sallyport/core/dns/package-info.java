/**
 * The DNS server that steers workloads to the proxy: it answers every name with the proxy's own address.
 *
 * <p>Everything runs on one event loop of its own, so that nothing here is shared: a flood of queries takes nothing from
 * exchanges. Messages are read and written as bytes, without objects for records.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.dns.DnsServer}: binds, swaps its zone, closes
 *   <li>{@link dev.sallyport.core.dns.Query}: what is taken for a query, and what is not
 *   <li>{@link dev.sallyport.core.dns.Responder}: who answers: a static record, the upstream resolver, or the proxy
 *   <li>{@link dev.sallyport.core.dns.Forwarder}: asks upstream and believes only what was asked for
 * </ul>
 */
@NullMarked
package dev.sallyport.core.dns;

import org.jspecify.annotations.NullMarked;
