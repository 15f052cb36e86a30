/** What a hostile workload, a hostile origin or a careless operator may try, and what must come of it. */
@NullMarked
package dev.sallyport.it.attack;

import org.jspecify.annotations.NullMarked;
