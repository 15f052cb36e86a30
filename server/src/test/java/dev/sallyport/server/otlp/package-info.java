/**
 * Export over OTLP, against receivers that decode the published protobufs.
 *
 * <p>Starting point: {@link dev.sallyport.server.otlp.Receiver}.
 */
package dev.sallyport.server.otlp;
