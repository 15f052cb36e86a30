package dev.sallyport.core;

import dev.sallyport.spi.SecretValue;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A change of the workloads of a proxy, and of the secrets that were delivered to it. Immutable. A delta, unless it is
 * {@linkplain Builder#whole the whole}.
 */
public final class PipelineUpdate {

    private final long revision;
    private final boolean whole;
    private final Map<String, WorkloadSpec> upserts;
    private final Set<String> removals;
    private final Map<String, DeliveredSecret> secrets;
    private final Map<String, String> removedSecrets;
    private final @Nullable Unclaimed unclaimed;
    private final @Nullable Boolean ready;
    private final boolean checksCredentials;

    /** What becomes of callers of no workload. */
    sealed interface Unclaimed {

        /** The organization whose policies judge them; empty for nobody's. */
        default String organization() {
            return "";
        }

        /** They are judged by the file's pipeline, and this one after it. */
        record Judged(PipelineSpec pipeline, String organization) implements Unclaimed {}

        /** They are judged by the file's pipeline. */
        record ByFile() implements Unclaimed {}

        /** They are refused. */
        record Refused() implements Unclaimed {}
    }

    private PipelineUpdate(Builder from) {
        revision = from.revision;
        whole = from.whole;
        upserts = new LinkedHashMap<>(from.upserts);
        removals = Set.copyOf(from.removals);
        secrets = Map.copyOf(from.secrets);
        removedSecrets = Map.copyOf(from.removedSecrets);
        unclaimed = from.unclaimed;
        ready = from.ready;
        checksCredentials = from.checksCredentials;
    }

    /** Describes an update that changes nothing yet. */
    public static Builder builder() {
        return new Builder();
    }

    /** The number by which {@link Applied} names this update; it has no other meaning to the proxy. */
    public long revision() {
        return revision;
    }

    /** Whether everything that came through the feed before and is not in this update goes. */
    public boolean isWhole() {
        return whole;
    }

    /** The workloads to be added or replaced, in order. */
    public List<WorkloadSpec> upserts() {
        return List.copyOf(upserts.values());
    }

    /** The names of workloads to be removed; those that are not there do not matter. */
    public Set<String> removals() {
        return removals;
    }

    /** The secrets to be added or replaced, by their global ids. */
    public Map<String, DeliveredSecret> secrets() {
        return secrets;
    }

    /** The ids of secrets that are not to be sent any more. */
    public Set<String> removedSecrets() {
        return removedSecrets.keySet();
    }

    /** Why a secret is gone, in words for those whose requests need it; empty when nothing is said. */
    String whyRemoved(String secret) {
        return removedSecrets.getOrDefault(secret, "");
    }

    /** Null: as before. */
    @Nullable Unclaimed unclaimed() {
        return unclaimed;
    }

    /** The organization whose policies judge callers of no workload from now on; empty for nobody's, or as before. */
    public String unclaimedOrganization() {
        return unclaimed == null ? "" : unclaimed.organization();
    }

    /** Whether the proxy serves from now on; null: as before. */
    public @Nullable Boolean ready() {
        return ready;
    }

    /** Whether credentials are checked from now on also while no user is known. */
    boolean checksCredentials() {
        return checksCredentials;
    }

    @Override
    public String toString() {
        return "PipelineUpdate[" + revision + (whole ? ", whole: " : ": ") + upserts.size() + " workloads, "
                + removals.size() + " removed, " + secrets.size() + " secrets]";
    }

    /** Collects an update. Not thread-safe. */
    public static final class Builder {

        private final Map<String, WorkloadSpec> upserts = new LinkedHashMap<>();
        private final Set<String> removals = new LinkedHashSet<>();
        private final Map<String, DeliveredSecret> secrets = new LinkedHashMap<>();
        private final Map<String, String> removedSecrets = new LinkedHashMap<>();
        private long revision;
        private boolean whole;
        private @Nullable Unclaimed unclaimed;
        private @Nullable Boolean ready;
        private boolean checksCredentials;

        private Builder() {}

        /** Sets the number of the update. */
        public Builder revision(long number) {
            revision = number;
            return this;
        }

        /** Makes this the whole: what came through the feed before and is not in this update goes. */
        public Builder whole() {
            whole = true;
            return this;
        }

        /** Adds a workload, or replaces the one of its name that came through the feed before. */
        public Builder upsert(WorkloadSpec workload) {
            upserts.put(workload.name(), workload);
            removals.remove(workload.name());
            return this;
        }

        /** Removes a workload that came through the feed before. */
        public Builder remove(String workload) {
            removals.add(Objects.requireNonNull(workload, "workload"));
            upserts.remove(workload);
            return this;
        }

        /**
         * Delivers the value of a secret, also in place of an earlier one, without any pipeline being rebuilt: requests that
         * begin from then on send it. One that has been prepared with the earlier value and still waits for its connection
         * sends that; where it must not, the secret is to be deleted, and delivered under another id.
         *
         * @param id what {@code ref} of a source {@code control_plane} names
         */
        public Builder secret(String id, String version, SecretValue value) {
            secrets.put(Objects.requireNonNull(id, "id"), new DeliveredSecret(version, value));
            removedSecrets.remove(id);
            return this;
        }

        /**
         * Deletes a secret: its value is never sent again, requests that would need it are refused with 403 {@code
         * secret_unavailable}, what is under way and carries it ends within 2 seconds, with a record, and it leaves memory
         * after {@code proxy.redact_after_removal}. That is so even where the rest of the update fails.
         */
        public Builder removeSecret(String id) {
            return withdrawSecret(id, "");
        }

        /**
         * As {@link #removeSecret}, for a secret that may come back.
         *
         * @param why told to those whose requests need it, such as {@code it was not confirmed}
         */
        public Builder withdrawSecret(String id, String why) {
            removedSecrets.put(Objects.requireNonNull(id, "id"), Objects.requireNonNull(why, "why"));
            secrets.remove(id);
            return this;
        }

        /** From now on, callers of no workload are judged by the pipeline of the file, and then by this one. */
        public Builder unclaimed(PipelineSpec pipeline) {
            return unclaimed(pipeline, "");
        }

        /**
         * As {@link #unclaimed(PipelineSpec)}, with a pipeline of an organization's policies. Its callers of no workload are
         * held back with its workloads, see {@link AuditTaps#hold(String)}; where clients share, they are counted by address.
         *
         * @param organization as {@link WorkloadSpec#ORGANIZATION} has it; empty for none
         */
        public Builder unclaimed(PipelineSpec pipeline, String organization) {
            unclaimed = new Unclaimed.Judged(pipeline, Objects.requireNonNull(organization, "organization"));
            return this;
        }

        /** From now on, callers of no workload are judged by the pipeline of the file alone, as they are at first. */
        public Builder unclaimedByFile() {
            unclaimed = new Unclaimed.ByFile();
            return this;
        }

        /** From now on, callers of no workload are refused with 403 {@code unknown_workload}. */
        public Builder refuseUnclaimed() {
            unclaimed = new Unclaimed.Refused();
            return this;
        }

        /**
         * Sets whether the proxy serves: while it does not, everybody gets 503 {@code not_ready} and {@link
         * EgressProxy#ready} is false. A proxy serves unless an update says otherwise; a companion that has to wait for
         * its first policy says so in {@link Companion#prepare}, before any listener is open.
         */
        public Builder ready(boolean serves) {
            ready = serves;
            return this;
        }

        /**
         * From now on, proxy credentials that are nobody's are refused with 407 also while no user is known. Without it, a
         * proxy that knows no user ignores credentials: whoever shows those of a workload that has gone would be taken for
         * a caller of no workload.
         */
        public Builder checkCredentials() {
            checksCredentials = true;
            return this;
        }

        /** The update. */
        public PipelineUpdate build() {
            return new PipelineUpdate(this);
        }
    }
}
