/**
 * The protocol between sandboxd and its clients: one JSON object on one line, one answer, then the connection ends.
 *
 * <p>Starting points: {@link dev.sallyport.sandboxd.wire.Lines} (how a line is read), {@link
 * dev.sallyport.sandboxd.wire.Operation} (what can be asked), {@link dev.sallyport.sandboxd.wire.VmJson} (values).
 */
@NullMarked
package dev.sallyport.sandboxd.wire;

import org.jspecify.annotations.NullMarked;
