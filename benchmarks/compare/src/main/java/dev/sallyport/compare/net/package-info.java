/**
 * What origin and load share: event loops, certificates, names, a scanner of HTTP/1.1.
 *
 * <p>Starting points: {@link dev.sallyport.compare.net.HttpScanner}, {@link dev.sallyport.compare.net.Authority}.
 */
@NullMarked
package dev.sallyport.compare.net;

import org.jspecify.annotations.NullMarked;
