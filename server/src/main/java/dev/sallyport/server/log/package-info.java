/**
 * The ordinary logs: lines on standard error. Standard output belongs to the audit log.
 *
 * <p>Starting points: {@link dev.sallyport.server.log.LogSetup}, which Logback finds by itself, and
 * {@link dev.sallyport.server.log.LogLevels}.
 */
@NullMarked
package dev.sallyport.server.log;

import org.jspecify.annotations.NullMarked;
