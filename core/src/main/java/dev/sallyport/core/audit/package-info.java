/**
 * The audit trail: one record for each exchange, written exactly once, as one JSON object a line
 * (docs/spec/decisions.md, section 14).
 *
 * <p>An exchange takes a {@link dev.sallyport.core.audit.AuditSlot} from the {@link dev.sallyport.core.audit.AuditGate}
 * before it begins and gives it back through the {@link dev.sallyport.core.audit.AuditWriter} when its record has been
 * written. There are as many slots as the writer's queue has places: offering a record can neither fail nor block. When
 * records cannot be written the slots run out, and no further exchange begins. Each client has its {@link
 * dev.sallyport.core.audit.ClientShare}, so that no client takes all of them.
 *
 * <p>A killed process loses the records that had not reached the sink: those of exchanges under way, and at most as
 * many others as there are slots.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.core.audit.AuditRecord}: the facts of an exchange, filled in on its loop
 *   <li>{@link dev.sallyport.core.audit.AuditWriter}: the thread that writes
 *   <li>{@link dev.sallyport.core.audit.AuditSink}: the destination of the records
 * </ul>
 */
@NullMarked
package dev.sallyport.core.audit;

import org.jspecify.annotations.NullMarked;
