/** The DNS server by real sockets. */
@NullMarked
package dev.sallyport.core.dns;

import org.jspecify.annotations.NullMarked;
