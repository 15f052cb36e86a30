/** Here the transform {@code oauth_token} will live, which obtains OAuth tokens and adds them; there is no code yet. */
@NullMarked
package dev.sallyport.transforms.oauthtoken;

import org.jspecify.annotations.NullMarked;
