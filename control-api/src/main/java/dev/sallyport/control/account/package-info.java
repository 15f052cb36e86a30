/**
 * Users, their organizations, keys and sign-in.
 *
 * <p>Starting points: {@link dev.sallyport.control.account.Users}, {@link dev.sallyport.control.account.ApiKeys}, {@link dev.sallyport.control.account.DeviceCodes}.
 */
@NullMarked
package dev.sallyport.control.account;

import org.jspecify.annotations.NullMarked;
