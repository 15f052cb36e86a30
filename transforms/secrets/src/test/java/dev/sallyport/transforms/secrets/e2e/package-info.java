/**
 * {@code secrets} in whole proxies, over sockets: what a hostile workload may try to get a credential to where it does not
 * belong, and what goes on the wire when everybody behaves.
 */
@NullMarked
package dev.sallyport.transforms.secrets.e2e;

import org.jspecify.annotations.NullMarked;
