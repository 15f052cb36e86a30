/**
 * A client of the API: calls, answers, refusals.
 *
 * <p>Starting points: {@link dev.sallyport.ctl.client.ApiClient}, {@link dev.sallyport.ctl.client.Target}.
 */
@NullMarked
package dev.sallyport.ctl.client;

import org.jspecify.annotations.NullMarked;
