/**
 * Asking a person at the terminal what a program may do. Starting point: {@link dev.sallyport.server.run.ask.Questions}.
 */
@NullMarked
package dev.sallyport.server.run.ask;

import org.jspecify.annotations.NullMarked;
