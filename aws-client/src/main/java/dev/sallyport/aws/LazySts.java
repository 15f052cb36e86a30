package dev.sallyport.aws;

import dev.sallyport.spi.HttpCaller;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sts.StsClient;
import software.amazon.awssdk.services.sts.model.AssumeRoleRequest;
import software.amazon.awssdk.services.sts.model.AssumeRoleResponse;
import software.amazon.awssdk.services.sts.model.AssumeRoleWithWebIdentityRequest;
import software.amazon.awssdk.services.sts.model.AssumeRoleWithWebIdentityResponse;

/**
 * The token service, asked through the proxy's own client. Its region is found by the first call: the search may ask a
 * metadata service, which must not happen where no role is assumed. Thread-safe.
 */
final class LazySts implements StsClient {

    private final AwsCredentialsProvider caller;
    private final Supplier<Region> region;
    private final HttpCaller http;
    private final Lock lock = new ReentrantLock();

    // Guarded by the lock.
    private @Nullable StsClient client;

    /** @param caller the credentials that sign the calls */
    LazySts(AwsCredentialsProvider caller, Supplier<Region> region, HttpCaller http) {
        this.caller = caller;
        this.region = region;
        this.http = http;
    }

    private StsClient client() {
        lock.lock();
        try {
            StsClient known = client;
            if (known == null) {
                known = StsClient.builder()
                        .region(region.get())
                        .credentialsProvider(caller)
                        .httpClient(new CallerHttpClient(http))
                        .build();
                client = known;
            }
            return known;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public AssumeRoleResponse assumeRole(AssumeRoleRequest request) {
        return client().assumeRole(request);
    }

    @Override
    public AssumeRoleWithWebIdentityResponse assumeRoleWithWebIdentity(AssumeRoleWithWebIdentityRequest request) {
        return client().assumeRoleWithWebIdentity(request);
    }

    @Override
    public String serviceName() {
        return SERVICE_NAME;
    }

    /** Closes the credentials of the caller, too, if they have been used. */
    @Override
    public void close() {
        lock.lock();
        try {
            StsClient known = client;
            if (known != null) {
                known.close();
                client = null;
            }
        } finally {
            lock.unlock();
        }
    }
}
