/**
 * TLS on both sides: the certificate authority, leaf certificates, and the contexts for clients and upstreams.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.tls.CertificateAuthority}: read from PEM files or generated
 *   <li>{@link dev.sallyport.core.tls.LeafCache}: mints and caches the certificates that clients see
 *   <li>{@link dev.sallyport.core.tls.ServerTls}: terminates the TLS of clients
 *   <li>{@link dev.sallyport.core.tls.ClientTls}: verifies and encrypts towards upstreams
 * </ul>
 */
@NullMarked
package dev.sallyport.core.tls;

import org.jspecify.annotations.NullMarked;
