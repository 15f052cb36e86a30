package dev.sallyport.core.upstream;

import dev.sallyport.core.tls.ClientTls;

/**
 * How connections are made and what they must satisfy to be used again. A reload brings a new one; pooled connections
 * that it would not have made are closed.
 *
 * @param tls whoever replaces it closes the former one
 */
public record UpstreamProfile(UpstreamSettings settings, NameLookup names, ClientTls tls, DialGuard guard) {}
