package dev.sallyport.sources.aws;

import dev.sallyport.spi.SecretException;
import dev.sallyport.spi.SecretValue;
import software.amazon.awssdk.awscore.client.builder.AwsClientBuilder;
import software.amazon.awssdk.awscore.client.builder.AwsSyncClientBuilder;
import software.amazon.awssdk.core.SdkClient;

/**
 * A service of AWS, and what one source asks it for.
 *
 * @param <C> the client
 */
interface AwsService<C extends SdkClient> {

    /** Makes a client, once what all services have in common has been set. */
    C connect(Setup setup);

    /**
     * Asks. The SDK's exceptions are for the caller to explain.
     *
     * @throws SecretException when the answer has no value; the message continues the secret's name
     */
    SecretValue ask(C client) throws SecretException;

    /** What it asks for, such as {@code parameter}. */
    String noun();

    /** What the caller must be allowed to do. */
    String permission();

    /** Sets what all clients have in common. */
    @FunctionalInterface
    interface Setup {

        <B extends AwsClientBuilder<B, C> & AwsSyncClientBuilder<B, C>, C> B apply(B builder);
    }
}
