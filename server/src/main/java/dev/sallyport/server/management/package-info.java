/**
 * The management API (docs/management.md; docs/spec/decisions.md, section 13). Starting points: {@link
 * dev.sallyport.server.management.ManagementApi}, which lists the routes, {@link
 * dev.sallyport.server.management.Route}, and {@link dev.sallyport.server.management.RecordsPage}, the page of {@code
 * sallyport run --inspect}.
 */
@NullMarked
package dev.sallyport.server.management;

import org.jspecify.annotations.NullMarked;
