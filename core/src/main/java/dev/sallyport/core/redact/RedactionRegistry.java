package dev.sallyport.core.redact;

import dev.sallyport.core.audit.AuditRecord;
import dev.sallyport.spi.Credential;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.RedactResponse;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Remembers which credentials each workload has sent to which origin. One for each proxy, so that it outlives reloads.
 * Thread-safe. An exchange of a workload that has sent nothing costs one look-up.
 */
public final class RedactionRegistry {

    private static final Logger LOG = LoggerFactory.getLogger(RedactionRegistry.class);
    private static final long SWEEP = Duration.ofMinutes(1).toNanos();

    private final LongSupplier nanoTime;
    private final CredentialCompiler compiler = new CredentialCompiler();
    private final ConcurrentHashMap<String, SentCredentials> workloads = new ConcurrentHashMap<>();
    /** The names of secrets that are, or were, in a configuration; not those of values that transforms create. */
    private final Set<String> known = new HashSet<>();

    private final AtomicBoolean warned = new AtomicBoolean();
    private final AtomicLong nextSweep;
    private volatile RedactionSettings settings;

    /** @param nanoTime the clock, as {@link System#nanoTime} */
    public RedactionRegistry(RedactionSettings settings, LongSupplier nanoTime) {
        this.settings = settings;
        this.nanoTime = nanoTime;
        this.nextSweep = new AtomicLong(nanoTime.getAsLong() + SWEEP);
    }

    /** Applies new settings; where nothing is to be redacted any more, what has been sent is forgotten. */
    public void reconfigure(RedactionSettings now) {
        settings = now;
        if (!lasts(null)) {
            workloads.values().forEach(values -> values.forget((stage, secret) -> secret.when() == null));
        }
    }

    /** Whether a value with this preference is searched for beyond the exchange that carries it. */
    private boolean lasts(@Nullable RedactResponse own) {
        RedactResponse when = own == null ? settings.responses() : own;
        return when == null || when == RedactResponse.SWAPPED || when == RedactResponse.ALWAYS;
    }

    /**
     * A configuration is in force: values of transforms or secrets that it no longer contains are searched for only for
     * the configured time, and those that no entry wants to have redacted are forgotten. Not for two threads at once.
     *
     * @param stages the names of its transforms
     * @param secrets the names of the secrets that they use
     * @param wishes the preferences of their entries
     */
    public void retain(Set<String> stages, Set<String> secrets, List<RedactionPreference> wishes) {
        forget(wishes);
        known.addAll(secrets);
        Set<String> removed = new HashSet<>(known);
        removed.removeAll(secrets);
        workloads.values().forEach(values -> values.retain(stages, removed));
        sweep(true);
        known.removeIf(
                name -> removed.contains(name) && workloads.values().stream().noneMatch(values -> values.holds(name)));
    }

    /**
     * A value may belong to several entries that use one secret, or to no single entry of a transform: all must agree.
     */
    private void forget(List<RedactionPreference> wishes) {
        Set<RedactionPreference> unwanted = new HashSet<>();
        Set<RedactionPreference> wanted = new HashSet<>();
        for (RedactionPreference wish : wishes) {
            Set<RedactionPreference> which = lasts(wish.when()) ? wanted : unwanted;
            which.add(of(wish.stage(), wish.secret()));
            which.add(of(wish.stage(), ""));
        }
        unwanted.removeAll(wanted);
        if (!unwanted.isEmpty()) {
            workloads
                    .values()
                    .forEach(values -> values.forget((stage, secret) ->
                            unwanted.contains(of(stage, "")) || unwanted.contains(of(stage, secret.name()))));
        }
    }

    private static RedactionPreference of(String stage, String secret) {
        return new RedactionPreference(stage, secret, null);
    }

    /**
     * A request is about to be sent over this connection.
     *
     * @param peer the address that is connected; null when it is not known
     * @param carried the credentials that it carries, or null for none
     * @return the redaction of its response, or null when there is none
     */
    public @Nullable ExchangeRedaction begin(
            EventLoop loop,
            AuditRecord record,
            String workload,
            Destination origin,
            @Nullable InetSocketAddress peer,
            @Nullable CarriedCredentials carried) {
        if (carried == null && sent(workload, origin).isEmpty()) {
            return null;
        }
        boolean local =
                peer != null && peer.getAddress() != null && peer.getAddress().isLoopbackAddress();
        ExchangeRedaction redaction = new ExchangeRedaction(this, loop, record, workload, origin, carried, local);
        return redaction.isNeeded() ? redaction : null;
    }

    /** The rule that applies to a credential. */
    RedactResponse when(Credential secret, boolean local) {
        RedactResponse own = secret.when();
        if (own != null) {
            return own;
        }
        RedactResponse all = settings.responses();
        if (all != null) {
            return all;
        }
        if (local && warned.compareAndSet(false, true)) {
            LOG.warn("Credentials are not taken out of responses of origins on loopback addresses,"
                    + " where proxy.redact_responses is auto (expected: swapped, if that is not meant)");
        }
        return local ? RedactResponse.OFF : RedactResponse.SWAPPED;
    }

    /** A value is sent to an origin, which may return it at any time. */
    void send(String workload, Destination origin, String stage, Credential secret) {
        values(workload).send(origin, stage, secret);
        sweep(false);
    }

    /** Whether an undeclared value appears to be used for more than one request. */
    boolean recurs(String workload, String stage, Credential secret) {
        return values(workload).recurs(stage, secret);
    }

    private SentCredentials values(String workload) {
        SentCredentials values = workloads.get(workload);
        return values != null ? values : workloads.computeIfAbsent(workload, name -> new SentCredentials(nanoTime));
    }

    /** The values that a workload has sent to an origin. */
    CredentialSet sent(String workload, Destination origin) {
        SentCredentials values = workloads.get(workload);
        return values == null ? CredentialSet.EMPTY : values.sentTo(origin);
    }

    /** The values that an exchange searches for; compiling them begins if needed. */
    WantedCredentials wanted(CredentialSet lasting, CredentialSet once) {
        return WantedCredentials.of(compiler, lasting, once);
    }

    private void sweep(boolean now) {
        long due = nextSweep.get();
        long time = nanoTime.getAsLong();
        if ((now || time - due >= 0) && nextSweep.compareAndSet(due, time + SWEEP)) {
            long limit = settings.afterRemoval().toNanos();
            workloads.values().forEach(values -> values.expire(limit));
        }
    }

    @Override
    public String toString() {
        return "Redactions[" + workloads.size() + " workloads]";
    }
}
