package dev.sallyport.sources.aws;

import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.SecretException;
import java.net.URI;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.awscore.client.builder.AwsClientBuilder;
import software.amazon.awssdk.awscore.client.builder.AwsSyncClientBuilder;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.SdkClient;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.DefaultAwsRegionProviderChain;

/** A client and the credentials that it signs with, shared by the sources of one place. Thread-safe. */
record Connection<C extends SdkClient>(C client, DefaultCredentialsProvider credentials) implements AutoCloseable {

    /** The configured region, or the first that the SDK finds. */
    static Region region(Place place) throws SecretException {
        if (!place.region().isEmpty()) {
            return Region.of(place.region());
        }
        try {
            return DefaultAwsRegionProviderChain.builder().build().getRegion();
        } catch (SdkException e) {
            throw new SecretException("no region is configured and the SDK finds none"
                    + " (expected: region, AWS_REGION, a profile with a region, or an instance of EC2)");
        }
    }

    /** A client that asks through {@code http}. Opens nothing yet. */
    static <C extends SdkClient> Connection<C> to(Place place, Region region, AwsService<C> service, HttpCaller http) {
        DefaultCredentialsProvider credentials =
                DefaultCredentialsProvider.builder().build();
        return new Connection<>(
                service.connect(new AwsService.Setup() {
                    @Override
                    public <B extends AwsClientBuilder<B, T> & AwsSyncClientBuilder<B, T>, T> B apply(B builder) {
                        builder.region(region)
                                .credentialsProvider(credentials)
                                .overrideConfiguration(
                                        common -> common.retryStrategy(AwsRetryStrategy.standardRetryStrategy()))
                                .httpClient(new CallerHttpClient(http));
                        return place.endpoint().isEmpty()
                                ? builder
                                : builder.endpointOverride(URI.create(place.endpoint()));
                    }
                }),
                credentials);
    }

    /** Finds credentials, or says that there are none: the SDK's own message quotes each place where it looked. */
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
