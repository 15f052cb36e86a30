/**
 * Export over OTLP (docs/opentelemetry.md): audit records and log lines, meters, and a span for each exchange, to a
 * collector that environment variables name. Nothing of it is loaded unless they do.
 *
 * <p>What is to be exported waits in a {@link dev.sallyport.server.otlp.BoundedQueue}, which never holds up whoever fills
 * it: what does not fit is dropped and counted. One thread for each signal takes batches out and sends each until the
 * collector has taken it. Connections use the proxy's own resolver and HTTP client, so that no name leads back into the
 * proxy.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.server.otlp.Exports}: what the rest of the server sees
 *   <li>{@link dev.sallyport.server.otlp.OtlpEnvironment}: the variables
 *   <li>{@link dev.sallyport.server.otlp.ExportLoop}: how batches are sent
 * </ul>
 */
@NullMarked
package dev.sallyport.server.otlp;

import org.jspecify.annotations.NullMarked;
