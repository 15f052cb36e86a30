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

/** A secret that a service of AWS keeps. The client is made at the first read. */
final class AwsSource<C extends SdkClient> implements SecretSource {

    /** For everything: finding region and credentials, and the SDK's repetitions. */
    static final Duration LIMIT = Duration.ofSeconds(15);

    private final String name;
    private final Place place;
    private final AwsService<C> service;
    private final SourceContext context;
    private final Duration limit;
    private volatile @Nullable Region region;

    AwsSource(String name, Place place, AwsService<C> service, SourceContext context) {
        this(name, place, service, context, LIMIT);
    }

    AwsSource(String name, Place place, AwsService<C> service, SourceContext context, Duration limit) {
        this.name = name;
        this.place = place;
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
            throw new SecretException(place.source() + " " + name + where + ": " + e.getMessage());
        }
    }

    private SecretValue ask() throws SecretException {
        Region asked = region();
        Connection<C> connection = context.keep(
                new Key(place.source(), asked.id(), place.endpoint()),
                () -> Connection.to(place, asked, service, context.http()));
        connection.requireCredentials();
        SecretValue value;
        try {
            value = service.ask(connection.client());
        } catch (SdkException e) {
            throw new SecretException(Reason.of(e, service));
        }
        if (value.length() == 0) {
            throw new SecretException("it is empty");
        }
        return value;
    }

    private Region region() throws SecretException {
        Region known = region;
        if (known == null) {
            known = Connection.region(place);
            region = known;
        }
        return known;
    }

    /** What sources must have in common to share a client. */
    private record Key(String source, String region, String endpoint) {}
}
