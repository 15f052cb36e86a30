/**
 * Text that people write and read: files in YAML and JSON, durations, tables.
 *
 * <p>Starting points: {@link dev.sallyport.ctl.text.PolicyFile}, {@link dev.sallyport.ctl.text.Table}.
 */
@NullMarked
package dev.sallyport.ctl.text;

import org.jspecify.annotations.NullMarked;
