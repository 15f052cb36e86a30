/** Calls of a control plane's API. Starting point: {@link dev.sallyport.server.control.ControlApi}. */
@NullMarked
package dev.sallyport.server.control;

import org.jspecify.annotations.NullMarked;
