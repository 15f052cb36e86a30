/**
 * Makes an account what files say: reads them, compares them with what is there, and changes what differs.
 *
 * <p>Starting points: {@link dev.sallyport.ctl.apply.Manifests}, {@link dev.sallyport.ctl.apply.Plan}, {@link
 * dev.sallyport.ctl.apply.Application}.
 */
@NullMarked
package dev.sallyport.ctl.apply;

import org.jspecify.annotations.NullMarked;
