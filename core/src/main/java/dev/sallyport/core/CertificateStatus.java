package dev.sallyport.core;

import java.time.Instant;

/**
 * A certificate that the configuration names.
 *
 * @param name the field that names its file, such as {@code tls.ca_cert}; with a number from 1 where there are several
 * @param notAfter when it ends
 */
public record CertificateStatus(String name, Instant notAfter) {}
