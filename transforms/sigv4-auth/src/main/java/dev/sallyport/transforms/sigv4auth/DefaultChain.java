package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.aws.CredentialChain;
import dev.sallyport.spi.HttpCaller;
import dev.sallyport.transforms.sigv4auth.WorkloadIdentity.Chain;
import dev.sallyport.transforms.sigv4auth.WorkloadIdentity.Identity;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.regions.Region;

/** The default credential chain of the AWS SDK. The only class here that needs the SDK; loaded only when it is used. */
record DefaultChain(CredentialChain credentials) implements Chain {

    /**
     * A chain that has asked nobody yet.
     *
     * @param region the region in which web identity tokens are exchanged; empty for the SDK's own choice
     * @param http sends the calls to STS
     */
    static Chain in(String region, HttpCaller http) {
        return new DefaultChain(
                region.isEmpty() ? CredentialChain.inFoundRegion(http) : CredentialChain.in(Region.of(region), http));
    }

    /** The SDK's own message quotes each place where it looked, so it is not repeated. */
    @Override
    public @Nullable Identity find() {
        AwsCredentials found;
        try {
            found = credentials.resolveCredentials();
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
        credentials.close();
    }
}
