/**
 * The transform {@code allowlist}: allows what its list names and nothing else.
 *
 * <p>Starting points: {@link dev.sallyport.transforms.allowlist.AllowlistFactory},
 * {@link dev.sallyport.transforms.allowlist.AllowlistConfig}.
 */
@NullMarked
package dev.sallyport.transforms.allowlist;

import org.jspecify.annotations.NullMarked;
