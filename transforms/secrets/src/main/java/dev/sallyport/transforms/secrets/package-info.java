/**
 * The transform {@code secrets}: puts real credentials into requests whose senders never see them.
 *
 * <p>Starting points: {@link dev.sallyport.transforms.secrets.SecretsFactory},
 * {@link dev.sallyport.transforms.secrets.SecretsConfig}, {@link dev.sallyport.transforms.secrets.Secrets}.
 */
@NullMarked
package dev.sallyport.transforms.secrets;

import org.jspecify.annotations.NullMarked;
