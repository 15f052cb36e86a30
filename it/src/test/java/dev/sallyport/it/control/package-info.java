/** The control plane with proxies, in the same process and elsewhere. */
@NullMarked
package dev.sallyport.it.control;

import org.jspecify.annotations.NullMarked;
