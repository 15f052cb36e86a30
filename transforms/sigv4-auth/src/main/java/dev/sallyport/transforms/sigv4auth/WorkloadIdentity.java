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
 * Credentials of the SDK's chain, found when the configuration is built and looked for again every minute, on a virtual
 * thread: the chain keeps what it has and renews it before it expires. When that fails, what is there is used until it
 * expires.
 */
final class WorkloadIdentity implements Credentials, AutoCloseable {

    private static final String POINTER = "/credentials_provider";
    private static final String FAILING =
            "the AWS SDK finds no credentials any more; those that are known are used until they expire";
    private static final long LIMIT_SECONDS = 15;
    private static final long PERIOD_SECONDS = 60;

    private final Chain chain;
    private final Clock clock;
    private final Runnable failing;
    private final AtomicBoolean looking = new AtomicBoolean();
    private final ScheduledFuture<?> timer;
    private volatile @Nullable Identity known;
    private volatile boolean failed;

    /** Where the SDK is: one look may take long. */
    interface Chain extends AutoCloseable {

        /** What it finds, or null when there is nothing or it cannot be used. */
        @Nullable Identity find();

        @Override
        void close();
    }

    /**
     * What a chain found.
     *
     * @param expires null when it does not
     */
    record Identity(
            String accessKeyId,
            String secretAccessKey,
            @Nullable String sessionToken,
            @Nullable Instant expires,
            Keys keys) {

        /** Null when the values cannot be sent. */
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

    /** What configurations must have in common to share a chain, over reloads too. */
    private record Shared(String region) {}

    /** @param failing is run when the chain begins to find nothing, after it found something */
    WorkloadIdentity(Chain chain, Clock clock, ScheduledExecutorService scheduler, Runnable failing) {
        this.chain = chain;
        this.clock = clock;
        this.failing = failing;
        this.timer =
                scheduler.scheduleWithFixedDelay(this::lookLater, PERIOD_SECONDS, PERIOD_SECONDS, TimeUnit.SECONDS);
    }

    /** Finds credentials, or says that there are none. */
    static WorkloadIdentity of(CredentialsProvider provider, BuildContext context) throws ConfigException {
        String region = provider.region() == null ? "" : provider.region();
        WorkloadIdentity identity = context.keep(
                new Shared(region),
                () -> new WorkloadIdentity(
                        DefaultChain.in(region),
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

    /** Looks once and waits for it; says whether there are credentials now. */
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
