/**
 * {@code sallyport ctl}: the commands for people and scripts that use a control plane over its HTTP API.
 *
 * <p>Starting points: {@link dev.sallyport.ctl.CtlCommand}, {@code Ctl} (the options that all commands share),
 * {@code PolicyCommand} (the commands of one resource), {@code Printer} (tables, JSON, YAML).
 */
@NullMarked
package dev.sallyport.ctl;

import org.jspecify.annotations.NullMarked;
