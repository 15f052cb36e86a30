/**
 * What the audit chain is made of, and how it is checked (docs/audit.md). Knows neither records nor the proxy: lines,
 * hashes, keys, signed notes.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.audit.chain.ChainedLine}: what a line of the chain looks like
 *   <li>{@link dev.sallyport.core.audit.chain.AuditKey}: signs checkpoints and makes fingerprints
 *   <li>{@link dev.sallyport.core.audit.chain.ChainVerifier}: finds the first line that is not as it was written
 * </ul>
 */
@NullMarked
package dev.sallyport.core.audit.chain;

import org.jspecify.annotations.NullMarked;
