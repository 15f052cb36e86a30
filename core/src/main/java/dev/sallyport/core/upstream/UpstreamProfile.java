package dev.sallyport.core.upstream;

/**
 * How connections are made and what they must satisfy to be used again. A reload brings a new one; pooled connections
 * that it would not have made are closed.
 */
public record UpstreamProfile(UpstreamSettings settings, NameLookup names, TlsHandlers tls, DialGuard guard) {}
