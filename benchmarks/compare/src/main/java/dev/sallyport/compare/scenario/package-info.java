/**
 * What is measured: each scenario by its name.
 *
 * <p>Starting points: {@link dev.sallyport.compare.scenario.Catalogue}.
 */
@NullMarked
package dev.sallyport.compare.scenario;

import org.jspecify.annotations.NullMarked;
