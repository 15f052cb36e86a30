/**
 * The control plane as a program: its section of the configuration, its start and end, its command line.
 *
 * <p>Starting points: {@link dev.sallyport.control.ControlFactory}, {@link dev.sallyport.control.ControlPlane}, {@link dev.sallyport.control.ControlCommand}.
 */
@NullMarked
package dev.sallyport.control;

import org.jspecify.annotations.NullMarked;
