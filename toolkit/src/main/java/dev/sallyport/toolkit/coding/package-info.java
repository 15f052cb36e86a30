/**
 * Content codings (RFC 9110, 8.4) as streams: what removes gzip, deflate, br and zstd from a body and puts them back.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.toolkit.coding.Codings}: reads a {@code Content-Encoding} header, makes decoders and encoders
 *   <li>{@link dev.sallyport.toolkit.coding.DecodeLimits}: what stops a decompression bomb
 * </ul>
 */
@NullMarked
package dev.sallyport.toolkit.coding;

import org.jspecify.annotations.NullMarked;
