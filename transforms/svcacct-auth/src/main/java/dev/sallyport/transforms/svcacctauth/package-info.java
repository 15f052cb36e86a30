/** Here the transform {@code svcacct_auth} will live, which adds the access tokens of cloud service accounts; there is no code yet. */
@NullMarked
package dev.sallyport.transforms.svcacctauth;

import org.jspecify.annotations.NullMarked;
