package dev.sallyport.aws;

import dev.sallyport.spi.HttpCaller;
import java.util.function.Supplier;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProviderChain;
import software.amazon.awssdk.auth.credentials.ContainerCredentialsProvider;
import software.amazon.awssdk.auth.credentials.EnvironmentVariableCredentialsProvider;
import software.amazon.awssdk.auth.credentials.InstanceProfileCredentialsProvider;
import software.amazon.awssdk.auth.credentials.SystemPropertyCredentialsProvider;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.DefaultAwsRegionProviderChain;
import software.amazon.awssdk.services.sts.StsClient;
import software.amazon.awssdk.services.sts.auth.StsWebIdentityTokenFileCredentialsProvider;

/**
 * The SDK's default chain, in its order, but with an STS that is asked through the proxy's own client: by its resolver and
 * its parent proxy. The chain of the SDK offers no such choice. Metadata services, which are on the machine's own link,
 * are asked by the SDK itself. Thread-safe.
 */
public final class CredentialChain implements AwsCredentialsProvider, AutoCloseable {

    private final StsClient sts;
    private final AwsCredentialsProviderChain chain;

    private CredentialChain(Supplier<Region> region, HttpCaller http) {
        sts = new LazySts(AnonymousCredentialsProvider.create(), region, http);
        chain = AwsCredentialsProviderChain.of(
                SystemPropertyCredentialsProvider.create(),
                EnvironmentVariableCredentialsProvider.create(),
                StsWebIdentityTokenFileCredentialsProvider.builder()
                        .stsClient(sts)
                        .build(),
                new ProfileCredentials(region, http),
                ContainerCredentialsProvider.builder().build(),
                InstanceProfileCredentialsProvider.create());
    }

    /**
     * A chain that has asked nobody yet.
     *
     * @param region where STS is asked, except for the role of a profile that names a region: there it is that one
     * @param http sends the calls to STS; must outlive the chain
     */
    public static CredentialChain in(Region region, HttpCaller http) {
        return new CredentialChain(() -> region, http);
    }

    /**
     * A chain that has asked nobody yet. STS is asked in the region of the profile whose role is assumed, else in the one
     * that the SDK finds, else at its global endpoint. No region is looked for until STS is needed.
     *
     * @param http sends the calls to STS; must outlive the chain
     */
    public static CredentialChain inFoundRegion(HttpCaller http) {
        return new CredentialChain(CredentialChain::found, http);
    }

    private static Region found() {
        try {
            return DefaultAwsRegionProviderChain.builder().build().getRegion();
        } catch (SdkException e) {
            return Region.AWS_GLOBAL;
        }
    }

    /**
     * The credentials of the first that has some. Blocks while STS or a metadata service is asked, so it must not be called
     * on an event loop.
     *
     * @throws SdkException when there are none, or those known cannot be renewed; the message quotes every place that was
     *     searched
     */
    @Override
    public AwsCredentials resolveCredentials() {
        return chain.resolveCredentials();
    }

    @Override
    public void close() {
        chain.close();
        sts.close();
    }
}
