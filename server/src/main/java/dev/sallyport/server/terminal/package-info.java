/**
 * What is shown to people at a terminal, and what they type. Starting points: {@link
 * dev.sallyport.server.terminal.Palette}, {@link dev.sallyport.server.terminal.ControllingTerminal}.
 */
@NullMarked
package dev.sallyport.server.terminal;

import org.jspecify.annotations.NullMarked;
