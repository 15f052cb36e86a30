/**
 * Keys that AWS KMS keeps.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.aws.kms.AwsKms}: encrypts and decrypts
 * </ul>
 */
@NullMarked
package dev.sallyport.aws.kms;

import org.jspecify.annotations.NullMarked;
