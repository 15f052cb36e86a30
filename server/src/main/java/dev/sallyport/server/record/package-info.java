/**
 * Reads audit logs back: lines of JSON in files or from standard input, one record at a time.
 *
 * <p>Starting points: {@link dev.sallyport.server.record.RecordReader}, {@link
 * dev.sallyport.server.record.RecordedExchange}.
 */
@NullMarked
package dev.sallyport.server.record;

import org.jspecify.annotations.NullMarked;
