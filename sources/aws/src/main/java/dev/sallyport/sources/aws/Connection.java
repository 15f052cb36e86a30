package dev.sallyport.sources.aws;

import dev.sallyport.aws.CallerHttpClient;
import dev.sallyport.aws.CredentialChain;
import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.SecretException;
import java.net.URI;
import software.amazon.awssdk.awscore.client.builder.AwsClientBuilder;
import software.amazon.awssdk.awscore.client.builder.AwsSyncClientBuilder;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.SdkClient;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.DefaultAwsRegionProviderChain;

/** A client and its credentials, shared by the sources of one region and endpoint. Thread-safe. */
record Connection<C extends SdkClient>(C client, CredentialChain credentials) implements AutoCloseable {

    /** The configured region, or the first that the SDK finds. */
    static Region region(ServiceLocation location) throws SecretException {
        if (!location.region().isEmpty()) {
            return Region.of(location.region());
        }
        try {
            return DefaultAwsRegionProviderChain.builder().build().getRegion();
        } catch (SdkException e) {
            throw new SecretException("no region is configured and the SDK finds none"
                    + " (expected: region, AWS_REGION, a profile with a region, or an instance of EC2)");
        }
    }

    /** Makes a client that sends through {@code http}. Opens no connection yet. */
    static <C extends SdkClient> Connection<C> to(
            ServiceLocation location, Region region, AwsService<C> service, HttpCaller http) {
        CredentialChain credentials = CredentialChain.in(region, http);
        return new Connection<>(
                service.connect(new AwsService.Setup() {
                    @Override
                    public <B extends AwsClientBuilder<B, T> & AwsSyncClientBuilder<B, T>, T> B apply(B builder) {
                        builder.region(region)
                                .credentialsProvider(credentials)
                                .overrideConfiguration(
                                        common -> common.retryStrategy(AwsRetryStrategy.standardRetryStrategy()))
                                .httpClient(new CallerHttpClient(http));
                        return location.endpoint().isEmpty()
                                ? builder
                                : builder.endpointOverride(URI.create(location.endpoint()));
                    }
                }),
                credentials);
    }

    /** Finds credentials, or reports that there are none: the SDK's own message quotes each place where it looked. */
    void requireCredentials() throws SecretException {
        try {
            credentials.resolveCredentials();
        } catch (SdkException e) {
            throw new SecretException("the SDK finds no credentials"
                    + " (expected: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, a web identity token,"
                    + " or the role of a container or instance)");
        }
    }

    @Override
    public void close() {
        client.close();
        credentials.close();
    }
}
