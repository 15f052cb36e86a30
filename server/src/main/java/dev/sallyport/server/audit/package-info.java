/**
 * Audit records for people: shown, searched, followed.
 *
 * <p>Starting points: {@link dev.sallyport.server.audit.AuditPrinter} shows one, {@link
 * dev.sallyport.server.audit.AuditFollower} reads a file that is being written.
 */
@NullMarked
package dev.sallyport.server.audit;

import org.jspecify.annotations.NullMarked;
