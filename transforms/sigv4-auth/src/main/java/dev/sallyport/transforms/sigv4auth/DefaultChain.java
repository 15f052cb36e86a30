package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.transforms.sigv4auth.WorkloadIdentity.Chain;
import dev.sallyport.transforms.sigv4auth.WorkloadIdentity.Identity;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProviderChain;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.ContainerCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.EnvironmentVariableCredentialsProvider;
import software.amazon.awssdk.auth.credentials.InstanceProfileCredentialsProvider;
import software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider;
import software.amazon.awssdk.auth.credentials.SystemPropertyCredentialsProvider;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sts.StsClient;
import software.amazon.awssdk.services.sts.auth.StsWebIdentityTokenFileCredentialsProvider;
import software.amazon.awssdk.utils.SdkAutoCloseable;

/** The default credential chain of the AWS SDK: the one class here that needs the SDK, loaded only when it is asked for. */
record DefaultChain(AwsCredentialsProvider provider, SdkAutoCloseable closing) implements Chain {

    /** @param region where web identity tokens are exchanged; empty for the one that the SDK finds */
    static Chain in(String region) {
        if (region.isEmpty()) {
            DefaultCredentialsProvider provider =
                    DefaultCredentialsProvider.builder().build();
            return new DefaultChain(provider, provider);
        }
        StsClient sts = StsClient.builder()
                .region(Region.of(region))
                .credentialsProvider(AnonymousCredentialsProvider.create())
                .build();
        AwsCredentialsProviderChain chain = AwsCredentialsProviderChain.of(
                SystemPropertyCredentialsProvider.create(),
                EnvironmentVariableCredentialsProvider.create(),
                StsWebIdentityTokenFileCredentialsProvider.builder()
                        .stsClient(sts)
                        .build(),
                ProfileCredentialsProvider.create(),
                ContainerCredentialsProvider.builder().build(),
                InstanceProfileCredentialsProvider.create());
        return new DefaultChain(chain, () -> {
            chain.close();
            sts.close();
        });
    }

    /** The SDK's own message quotes each place where it looked, and stays where it is. */
    @Override
    public @Nullable Identity find() {
        AwsCredentials found;
        try {
            found = provider.resolveCredentials();
        } catch (SdkException e) {
            return null;
        }
        return Identity.of(
                found.accessKeyId(),
                found.secretAccessKey(),
                found instanceof AwsSessionCredentials session ? session.sessionToken() : null,
                found.expirationTime().orElse(null));
    }

    @Override
    public void close() {
        closing.close();
    }
}
