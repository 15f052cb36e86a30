/**
 * The resources of {@code /v1} over HTTP: routes, bodies, errors, limits, and their description.
 *
 * <p>Starting points: {@link dev.sallyport.control.api.RequestGate}, {@link dev.sallyport.control.api.BodyBinder}, {@link dev.sallyport.control.api.OpenApi}.
 */
@NullMarked
package dev.sallyport.control.api;

import org.jspecify.annotations.NullMarked;
