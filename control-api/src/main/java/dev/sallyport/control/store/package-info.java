/**
 * The database: connections, transactions with an order, migrations.
 *
 * <p>Starting points: {@link dev.sallyport.control.store.Store}.
 */
@NullMarked
package dev.sallyport.control.store;

import org.jspecify.annotations.NullMarked;
