package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.transforms.sigv4auth.SigV4AuthConfig.CredentialsProvider;
import java.time.Clock;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Credentials of the SDK's chain. It is asked when the configuration is built and then every minute, on a virtual
 * thread: it caches credentials and renews them before they expire. When that fails, the present ones are used until
 * they expire.
 */
final class WorkloadIdentity implements Credentials, AutoCloseable {

    private static final String POINTER = "/credentials_provider";
    private static final String FAILING =
            "the AWS SDK no longer finds credentials; the known ones are used until they expire";
    private static final long LIMIT_SECONDS = 15;
    private static final long PERIOD_SECONDS = 60;

    private final Chain chain;
    private final Clock clock;
    private final Runnable failing;
    private final AtomicBoolean looking = new AtomicBoolean();
    private final ScheduledFuture<?> timer;
    private volatile @Nullable Identity known;
    private volatile boolean failed;

    /** The SDK's chain; one look-up may take long. */
    interface Chain extends AutoCloseable {

        /** The credentials found, or null when there are none or they cannot be used. */
        @Nullable Identity find();

        @Override
        void close();
    }

    /**
     * The credentials that a chain found.
     *
     * @param expires null when they do not expire
     */
    record Identity(
            String accessKeyId,
            String secretAccessKey,
            @Nullable String sessionToken,
            @Nullable Instant expires,
            Keys keys) {

        /** Returns null when the values cannot be sent. */
        static @Nullable Identity of(
                String accessKeyId, String secretAccessKey, @Nullable String sessionToken, @Nullable Instant expires) {
            Keys keys = Keys.of(accessKeyId, secretAccessKey, sessionToken);
            return keys == null ? null : new Identity(accessKeyId, secretAccessKey, sessionToken, expires, keys);
        }

        private boolean hasValuesOf(Identity other) {
            return accessKeyId.equals(other.accessKeyId)
                    && secretAccessKey.equals(other.secretAccessKey)
                    && Objects.equals(sessionToken, other.sessionToken);
        }

        private Identity withKeysOf(Identity other) {
            return new Identity(accessKeyId, secretAccessKey, sessionToken, expires, other.keys);
        }

        @Override
        public String toString() {
            return "Identity[***]";
        }
    }

    /** Configurations with equal keys share a chain, also across reloads. */
    private record Shared(String region) {}

    /** @param failing runs when the chain stops finding credentials */
    WorkloadIdentity(Chain chain, Clock clock, ScheduledExecutorService scheduler, Runnable failing) {
        this.chain = chain;
        this.clock = clock;
        this.failing = failing;
        this.timer =
                scheduler.scheduleWithFixedDelay(this::lookLater, PERIOD_SECONDS, PERIOD_SECONDS, TimeUnit.SECONDS);
    }

    /** Finds credentials, or reports that there are none. */
    static WorkloadIdentity of(CredentialsProvider provider, BuildContext context) throws ConfigException {
        if (!context.mayCallOut()) {
            throw new ConfigException(POINTER, "the AWS SDK is not asked for credentials", "");
        }
        String region = provider.region() == null ? "" : provider.region();
        WorkloadIdentity identity = context.keep(
                new Shared(region),
                () -> new WorkloadIdentity(
                        DefaultChain.in(region, context.http()),
                        context.clock(),
                        context.scheduler(),
                        () -> context.warn(POINTER, FAILING)));
        if (identity.current() == null && !identity.lookNow()) {
            throw new ConfigException(
                    POINTER,
                    "the AWS SDK finds no credentials",
                    "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, a web identity token, or the role of a container or instance");
        }
        return identity;
    }

    @Override
    public @Nullable Keys current() {
        Identity last = known;
        if (last == null) {
            return null;
        }
        Instant expires = last.expires();
        return expires == null || clock.instant().isBefore(expires) ? last.keys() : null;
    }

    /** Looks once and waits for the result; returns whether there are credentials now. */
    private boolean lookNow() {
        FutureTask<@Nullable Void> look = new FutureTask<>(this::look, null);
        Thread.ofVirtual().name("aws-identity").start(look);
        try {
            look.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException("the credential chain of the AWS SDK failed", e.getCause());
        } catch (TimeoutException e) {
            return false;
        } finally {
            look.cancel(true);
        }
        return current() != null;
    }

    private void lookLater() {
        if (looking.compareAndSet(false, true)) {
            Thread.ofVirtual().name("aws-identity").start(() -> {
                try {
                    look();
                } finally {
                    looking.set(false);
                }
            });
        }
    }

    private void look() {
        Identity found = chain.find();
        Identity last = known;
        if (found == null) {
            if (last != null && !failed) {
                failed = true;
                failing.run();
            }
            return;
        }
        failed = false;
        known = last != null && found.hasValuesOf(last) ? found.withKeysOf(last) : found;
    }

    @Override
    public void close() {
        timer.cancel(false);
        chain.close();
    }

    @Override
    public String toString() {
        return "WorkloadIdentity[***]";
    }
}
