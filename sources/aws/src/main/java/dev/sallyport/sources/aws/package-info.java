/**
 * Secrets in AWS: the Secrets Manager and the parameter store of the Systems Manager, through the SDK.
 *
 * <p>Factories and config records name no class of the SDK, so that it is loaded when such a source is configured and
 * not before.
 *
 * <h2>Starting points</h2>
 *
 * <ul>
 *   <li>{@link dev.sallyport.sources.aws.CloudSmSourceFactory}: the source {@code cloud_sm}
 *   <li>{@link dev.sallyport.sources.aws.CloudSsmSourceFactory}: the source {@code cloud_ssm}
 * </ul>
 */
@NullMarked
package dev.sallyport.sources.aws;

import org.jspecify.annotations.NullMarked;
