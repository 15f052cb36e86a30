/**
 * Policies: what they may hold, and how they are kept.
 *
 * <p>Starting points: {@link dev.sallyport.control.policy.Policies}.
 */
@NullMarked
package dev.sallyport.control.policy;

import org.jspecify.annotations.NullMarked;
