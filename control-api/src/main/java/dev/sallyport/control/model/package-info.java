/**
 * Values that all packages of the control plane share.
 *
 * <p>Starting points: {@link dev.sallyport.control.model.Caller}, {@link dev.sallyport.control.model.Refusal}.
 */
@NullMarked
package dev.sallyport.control.model;

import org.jspecify.annotations.NullMarked;
