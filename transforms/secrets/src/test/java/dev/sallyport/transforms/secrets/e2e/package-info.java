/** What a hostile workload may try against a whole proxy to get a credential to where it does not belong. */
@NullMarked
package dev.sallyport.transforms.secrets.e2e;

import org.jspecify.annotations.NullMarked;
