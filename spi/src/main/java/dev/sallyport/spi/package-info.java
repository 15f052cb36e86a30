/**
 * The contract between the Sallyport engine and its plug-ins: transforms, which judge and edit exchanges, and secret
 * sources, which read credentials.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.spi.TransformFactory}: what a plug-in registers with {@link java.util.ServiceLoader}
 *   <li>{@link dev.sallyport.spi.Transform}, {@link dev.sallyport.spi.InlineTransform},
 *       {@link dev.sallyport.spi.BlockingTransform}: the plug-in's code that judges requests
 *   <li>{@link dev.sallyport.spi.Decision} and {@link dev.sallyport.spi.Edits}: a transform's verdict and its changes
 *   <li>{@link dev.sallyport.spi.SecretSourceFactory}: where credentials come from
 * </ul>
 *
 * <h2>The contract in eight sentences</h2>
 *
 * <ol>
 *   <li>A transform describes, the engine acts: a transform sees read-only views and returns a decision with edits.
 *   <li>Nothing fails open: an exception, a missed deadline or an undeclared edit refuses the exchange.
 *   <li>Transforms run in the order of the configuration; response steps run in the reverse order.
 *   <li>{@code onRequest} sees the head; nobody's body is read until someone returns {@link Decision.Read}.
 *   <li>Inline code runs on an event loop and must not block; blocking code says so by its type.
 *   <li>A transform object is shared by all exchanges and threads; state of one exchange lives in the closures that its
 *       steps capture.
 *   <li>What a transform may read, write and cause is declared in {@link dev.sallyport.spi.Capabilities} and enforced.
 *   <li>Types that a plug-in constructs are made through static factories and builders and may grow; types that it
 *       receives are interfaces which only the engine and the test kit implement and which may grow. Enums that it
 *       receives may grow too: a {@code switch} over one needs a default.
 * </ol>
 *
 * <p>{@code docs/spi.md} lists all types by whether a plug-in implements, returns or receives them.
 */
@NullMarked
package dev.sallyport.spi;

import org.jspecify.annotations.NullMarked;
