/**
 * From samples to medians, ratios, tables and plots.
 *
 * <p>Starting points: {@link dev.sallyport.compare.report.Results}, {@link dev.sallyport.compare.report.Report}.
 */
@NullMarked
package dev.sallyport.compare.report;

import org.jspecify.annotations.NullMarked;
