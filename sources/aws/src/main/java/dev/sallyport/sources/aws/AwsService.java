package dev.sallyport.sources.aws;

import dev.sallyport.spi.SecretException;
import dev.sallyport.spi.SecretValue;
import software.amazon.awssdk.awscore.client.builder.AwsClientBuilder;
import software.amazon.awssdk.awscore.client.builder.AwsSyncClientBuilder;
import software.amazon.awssdk.core.SdkClient;

/**
 * An AWS service, and the value that one source reads from it.
 *
 * @param <C> the client
 */
interface AwsService<C extends SdkClient> {

    /** Makes a client after the settings common to all services. */
    C connect(Setup setup);

    /**
     * Reads the value. The caller explains the SDK's exceptions.
     *
     * @throws SecretException when the answer has no value; the message continues the secret's name
     */
    SecretValue ask(C client) throws SecretException;

    /** The kind of value, such as {@code parameter}. */
    String noun();

    /** The permission that the caller needs. */
    String permission();

    /** Applies the settings common to all clients. */
    @FunctionalInterface
    interface Setup {

        <B extends AwsClientBuilder<B, C> & AwsSyncClientBuilder<B, C>, C> B apply(B builder);
    }
}
