/**
 * What was changed by whom.
 *
 * <p>Starting points: {@link dev.sallyport.control.audit.AdminAudit}.
 */
@NullMarked
package dev.sallyport.control.audit;

import org.jspecify.annotations.NullMarked;
