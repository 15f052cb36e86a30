/**
 * Content codings (RFC 9110, 8.4) as streams: removes gzip, deflate, br and zstd from a body and applies them again.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.toolkit.coding.Codings}: reads a {@code Content-Encoding} header, makes decoders and
 *       encoders
 *   <li>{@link dev.sallyport.toolkit.coding.DecodeLimits}: limits that stop a decompression bomb
 * </ul>
 */
@NullMarked
package dev.sallyport.toolkit.coding;

import org.jspecify.annotations.NullMarked;
