package dev.sallyport.core.redact;

import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.spi.Credential;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.RedactResponse;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Remembers which credentials each workload has sent, and where to. One for each proxy, so that it outlives reloads.
 * Thread-safe. An exchange of a workload that has sent nothing costs one look-up.
 */
public final class RedactionRegistry {

    private static final Logger LOG = LoggerFactory.getLogger(RedactionRegistry.class);

    private final LongSupplier nanoTime;
    private final CredentialCompiler compiler = new CredentialCompiler();
    private final ConcurrentHashMap<String, SentCredentials> workloads = new ConcurrentHashMap<>();
    private final PolicySecrets policies = new PolicySecrets();

    private final AtomicBoolean warned = new AtomicBoolean();
    private volatile RedactionSettings settings;

    /** The workloads to which the policy without a name applies. Guarded by this. */
    private Predicate<String> unclaimed = workload -> true;

    /** @param nanoTime the clock, as {@link System#nanoTime} */
    public RedactionRegistry(RedactionSettings settings, LongSupplier nanoTime) {
        this.settings = settings;
        this.nanoTime = nanoTime;
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
     * A policy is in force: values of transforms or secrets that it no longer contains are searched for only for the
     * configured time, and those that no entry wants to have redacted are forgotten.
     *
     * @param scope names the policy: that of a workload, or empty
     * @param whose the workloads to which it applies
     * @param stages the names of its transforms; none for a workload that has gone
     * @param secrets the names of the secrets that they use
     * @param wishes the preferences of their entries
     */
    public synchronized void retain(
            String scope,
            Predicate<String> whose,
            Set<String> stages,
            Set<String> secrets,
            List<RedactionPreference> wishes) {
        if (scope.isEmpty()) {
            unclaimed = whose;
        }
        if (!secrets.isEmpty() || !wishes.isEmpty()) {
            Sites.prepare();
        }
        List<SentCredentials> sent = sentBy(scope, whose);
        forget(sent, wishes);
        Set<String> removed = policies.replace(scope, secrets, !stages.isEmpty());
        sent.forEach(values -> values.retain(stages, removed));
    }

    private List<SentCredentials> sentBy(String scope, Predicate<String> whose) {
        SentCredentials one = scope.isEmpty() ? null : workloads.get(scope);
        if (!scope.isEmpty()) {
            return one == null ? List.of() : List.of(one);
        }
        List<SentCredentials> some = new ArrayList<>();
        workloads.forEach((workload, values) -> {
            if (whose.test(workload)) {
                some.add(values);
            }
        });
        return some;
    }

    /** These secrets were replaced: their former values are searched for only for the configured time. */
    public void superseded(Set<String> secrets) {
        policies.deliver(secrets);
        workloads.values().forEach(values -> values.supersede(secrets));
    }

    /**
     * These secrets were deleted: their values are searched for only for the configured time, whatever policies still name
     * them and whatever was on its way.
     */
    public void deleted(Set<String> secrets) {
        policies.delete(secrets);
        workloads.values().forEach(values -> values.supersede(secrets));
    }

    /** These secrets have values, which they had not before. */
    public void delivered(Set<String> secrets) {
        policies.deliver(secrets);
    }

    /** Forgets values whose time is over, and workloads of which nothing is left. To be called now and then. */
    public synchronized void sweep() {
        long limit = settings.afterRemoval().toNanos();
        Set<Credential> gone = new HashSet<>();
        workloads.values().forEach(values -> gone.addAll(values.expire(limit)));
        compiler.forget(gone);
        workloads.forEach(this::retire);
        for (String policy : policies.sweep(this::names, this::isEmpty)) {
            workloads.computeIfPresent(policy, (name, values) -> values.isEmpty() ? null : values);
        }
    }

    /** A workload that has gone has nothing in use, whatever exchanges have sent that had begun before. */
    private void retire(String workload, SentCredentials values) {
        if (!unclaimed.test(workload) && !policies.isInForce(workload)) {
            policies.replace(workload, Set.of(), false);
            values.retain(Set.of(), Set.of());
        }
    }

    private Set<String> names(String policy) {
        if (policy.isEmpty()) {
            Set<String> names = new HashSet<>();
            workloads.values().forEach(values -> names.addAll(values.names()));
            return names;
        }
        SentCredentials values = workloads.get(policy);
        return values == null ? Set.of() : values.names();
    }

    private boolean isEmpty(String policy) {
        SentCredentials values = workloads.get(policy);
        return values == null || values.isEmpty();
    }

    /**
     * A value may belong to several entries that use one secret, or to no single entry of a transform: all must agree.
     */
    private void forget(List<SentCredentials> sent, List<RedactionPreference> wishes) {
        Set<RedactionPreference> unwanted = new HashSet<>();
        Set<RedactionPreference> wanted = new HashSet<>();
        for (RedactionPreference wish : wishes) {
            Set<RedactionPreference> which = lasts(wish.when()) ? wanted : unwanted;
            which.add(of(wish.stage(), wish.secret()));
            which.add(of(wish.stage(), ""));
        }
        unwanted.removeAll(wanted);
        if (!unwanted.isEmpty()) {
            sent.forEach(values -> values.forget((stage, secret) ->
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
            MutableAuditRecord record,
            String workload,
            Destination origin,
            @Nullable InetSocketAddress peer,
            @Nullable CarriedCredentials carried) {
        InetAddress address = peer == null ? null : peer.getAddress();
        if (carried == null && sent(workload, origin, address).isEmpty()) {
            return null;
        }
        ExchangeRedaction redaction = new ExchangeRedaction(this, loop, record, workload, origin, address, carried);
        return redaction.isNeeded() ? redaction : null;
    }

    /** The rule that applies to a credential. */
    RedactResponse when(Credential secret, boolean local) {
        RedactionSettings now = settings;
        boolean auto = secret.when() == null && now.responses() == null;
        if (auto && local && warned.compareAndSet(false, true)) {
            LOG.warn("Credentials are not taken out of responses of origins on loopback addresses,"
                    + " where proxy.redact_responses is auto (expected: swapped, if that is not meant)");
        }
        return now.when(secret, local);
    }

    /** A value is sent to an origin, which may return it at any time. */
    void send(String workload, Destination origin, @Nullable InetAddress address, String stage, Credential secret) {
        SentCredentials present = workloads.get(workload);
        if (present == null || !present.knows(origin, address, secret)) {
            // Within compute, so that what is swept meanwhile is not written to.
            workloads.compute(workload, (name, before) -> {
                SentCredentials values = before == null ? make() : before;
                values.send(origin, address, stage, secret);
                return values;
            });
        }
    }

    /** Whether an undeclared value appears to be used for more than one request. */
    boolean recurs(String workload, String stage, Credential secret) {
        return values(workload).recurs(stage, secret);
    }

    private SentCredentials values(String workload) {
        SentCredentials values = workloads.get(workload);
        return values != null ? values : workloads.computeIfAbsent(workload, name -> make());
    }

    private SentCredentials make() {
        return new SentCredentials(nanoTime, policies::isDeleted);
    }

    /** What was masked at the edges of parts for a workload. */
    PartMasks masks(String workload) {
        return values(workload).masks();
    }

    /** The values that a response from there may have, of those that a workload has sent. */
    CredentialSet sent(String workload, Destination origin, @Nullable InetAddress address) {
        SentCredentials values = workloads.get(workload);
        CredentialSet wanted = values == null ? CredentialSet.EMPTY : values.wantedFrom(origin, address);
        boolean off =
                !wanted.isEmpty() && settings.responses() == null && address != null && address.isLoopbackAddress();
        return off ? wanted.only(secret -> secret.when() != null) : wanted;
    }

    /** The values that an exchange searches for; compiling them begins if needed. */
    WantedCredentials wanted(CredentialSet lasting, CredentialSet once) {
        return WantedCredentials.of(compiler, lasting, once);
    }

    /** How many workloads and policies it remembers. */
    int remembered() {
        return workloads.size() + policies.size();
    }

    @Override
    public String toString() {
        return "Redactions[" + workloads.size() + " workloads]";
    }
}
