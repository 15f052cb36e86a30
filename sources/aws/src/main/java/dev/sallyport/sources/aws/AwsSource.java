package dev.sallyport.sources.aws;

import dev.sallyport.spi.SecretException;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.spi.SecretValue;
import dev.sallyport.spi.SourceContext;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.SdkClient;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.regions.Region;

/** A secret stored in an AWS service. The first read makes the client. */
final class AwsSource<C extends SdkClient> implements SecretSource {

    /** Covers finding region and credentials, and the SDK's retries. */
    static final Duration LIMIT = Duration.ofSeconds(15);

    private final String name;
    private final ServiceLocation location;
    private final AwsService<C> service;
    private final SourceContext context;
    private final Duration limit;
    private volatile @Nullable Region region;

    AwsSource(String name, ServiceLocation location, AwsService<C> service, SourceContext context) {
        this(name, location, service, context, LIMIT);
    }

    AwsSource(String name, ServiceLocation location, AwsService<C> service, SourceContext context, Duration limit) {
        this.name = name;
        this.location = location;
        this.service = service;
        this.context = context;
        this.limit = limit;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public SecretValue read() throws SecretException, InterruptedException {
        try {
            return TimedRead.within(limit, this::ask);
        } catch (SecretException e) {
            Region asked = region;
            String where = asked == null ? "" : " in " + asked.id();
            throw new SecretException(location.source() + " " + name + where + ": " + e.getMessage());
        }
    }

    private SecretValue ask() throws SecretException {
        Region asked = region();
        Connection<C> connection = context.keep(
                new Key(service.noun(), asked.id(), location.endpoint()),
                () -> Connection.to(location, asked, service, context.http()));
        connection.requireCredentials();
        SecretValue value;
        try {
            value = service.ask(connection.client());
        } catch (SdkException e) {
            throw new SecretException(FailureReason.of(e, service));
        }
        if (value.length() == 0) {
            throw new SecretException("it is empty");
        }
        return value;
    }

    private Region region() throws SecretException {
        Region known = region;
        if (known == null) {
            known = Connection.region(location);
            region = known;
        }
        return known;
    }

    /** What sources must have in common to share a client. */
    private record Key(String service, String region, String endpoint) {}
}
