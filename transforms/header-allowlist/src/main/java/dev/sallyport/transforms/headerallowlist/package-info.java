/**
 * The transform {@code header_allowlist}: strips request headers that its list does not name.
 *
 * <p>Starting points: {@link dev.sallyport.transforms.headerallowlist.HeaderAllowlistFactory},
 * {@link dev.sallyport.transforms.headerallowlist.HeaderAllowlistConfig},
 * {@link dev.sallyport.transforms.headerallowlist.HeaderAllowlist}.
 */
@NullMarked
package dev.sallyport.transforms.headerallowlist;

import org.jspecify.annotations.NullMarked;
