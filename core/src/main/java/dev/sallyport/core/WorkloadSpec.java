package dev.sallyport.core;

import dev.sallyport.core.workload.Callers;
import dev.sallyport.spi.SecretValue;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A workload: whose traffic it is, and by which policy it is judged. Immutable. At least one selector; where there are
 * source addresses and users, both must hold. Among source ranges the longest that holds an address decides, and where
 * its user does not match, no shorter one is tried.
 *
 * <pre>{@code
 * WorkloadSpec.builder("job-17")
 *         .user("job-17", password)
 *         .pipeline(PipelineSpec.of("transforms: [{name: allowlist, config: {domains: [api.example.com]}}]"))
 *         .build();
 * }</pre>
 */
public final class WorkloadSpec {

    /** The {@link Builder#attributes attribute} that names whose workload it is. */
    public static final String ORGANIZATION = Callers.ORGANIZATION;

    /** A name is at most this long. */
    public static final int MAX_NAME = 256;

    private static final int SHA_256_BYTES = 32;

    private final String name;
    private final List<String> sourceCidrs;
    private final Map<String, byte[]> users;
    private final Set<String> keys;
    private final Map<String, String> attributes;
    private final @Nullable PipelineSpec pipeline;

    private WorkloadSpec(Builder from) {
        name = from.name;
        sourceCidrs = List.copyOf(from.sourceCidrs);
        users = new LinkedHashMap<>(from.users);
        keys = Set.copyOf(from.keys);
        attributes = Map.copyOf(from.attributes);
        pipeline = from.pipeline;
    }

    /**
     * Describes a workload.
     *
     * @param name identifies it in audit records, metrics and later updates: 1 to {@value #MAX_NAME} characters, none of
     *     them a control character, and not beginning with {@code user:}
     */
    public static Builder builder(String name) {
        return new Builder(name);
    }

    /** The name. */
    public String name() {
        return name;
    }

    /** Ranges or addresses of which its connections come; empty for any. */
    public List<String> sourceCidrs() {
        return sourceCidrs;
    }

    /** The names of its proxy users; empty for any, and for none. */
    public List<String> users() {
        return List.copyOf(users.keySet());
    }

    /** Further facts for transforms and audit, such as tags. */
    public Map<String, String> attributes() {
        return attributes;
    }

    /** Its policy, which follows that of the file; null when that of the file is all. */
    public @Nullable PipelineSpec pipeline() {
        return pipeline;
    }

    /** The digests of the passwords that came with it, by user; empty for a user of {@code proxy.auth}. Shared. */
    Map<String, byte[]> digests() {
        return users;
    }

    /** Those of its users whose password is enough, whatever name a client gives with it. */
    Set<String> keys() {
        return keys;
    }

    /** Whether the other one says the same. */
    boolean saysTheSame(@Nullable WorkloadSpec other) {
        return this == other
                || (other != null
                        && name.equals(other.name)
                        && sourceCidrs.equals(other.sourceCidrs)
                        && attributes.equals(other.attributes)
                        && Objects.equals(pipeline, other.pipeline)
                        && keys.equals(other.keys)
                        && users.keySet().equals(other.users.keySet())
                        && users.entrySet().stream()
                                .allMatch(user -> Arrays.equals(user.getValue(), other.users.get(user.getKey()))));
    }

    /** Without passwords and policy. */
    @Override
    public String toString() {
        return "WorkloadSpec[" + name + "]";
    }

    /** Collects a description. Not thread-safe. */
    public static final class Builder {

        private final String name;
        private final List<String> sourceCidrs = new ArrayList<>();
        private final Map<String, byte[]> users = new LinkedHashMap<>();
        private final Set<String> keys = new LinkedHashSet<>();
        private Map<String, String> attributes = Map.of();
        private @Nullable PipelineSpec pipeline;

        private Builder(String name) {
            this.name = Objects.requireNonNull(name, "name");
        }

        /**
         * Adds a source range, such as {@code 10.1.0.0/16}, {@code 2001:db8::/32}, or an address. Behind a load balancer
         * it is the address that the PROXY protocol states.
         */
        public Builder sourceCidr(String cidr) {
            sourceCidrs.add(Objects.requireNonNull(cidr, "cidr"));
            return this;
        }

        /** Adds a user of {@code proxy.auth}. */
        public Builder user(String user) {
            users.put(Objects.requireNonNull(user, "user"), new byte[0]);
            keys.remove(user);
            return this;
        }

        /**
         * Adds a user who need not be in {@code proxy.auth}: the proxy accepts this password for as long as the workload
         * is there. A user of {@code proxy.auth} with the same name keeps the password of the file.
         */
        public Builder user(String user, SecretValue password) {
            return userWithDigest(user, sha256(password.bytes()));
        }

        /**
         * As {@link #user(String, SecretValue)}, where only the digest of a password is known. Passwords must be random
         * and long: a digest without salt does not protect guessable ones.
         *
         * @param sha256 the 32 bytes of its SHA-256 digest; copied
         */
        public Builder userWithDigest(String user, byte[] sha256) {
            if (sha256.length != SHA_256_BYTES) {
                throw new IllegalArgumentException("a digest of " + sha256.length + " bytes (expected: 32)");
            }
            users.put(Objects.requireNonNull(user, "user"), sha256.clone());
            keys.remove(user);
            return this;
        }

        /**
         * As {@link #userWithDigest}, for a password that tells whose it is, such as a key of an API: clients may give any
         * name with it, and are this user. A password that several users of a proxy have opens nothing under other names.
         *
         * @param sha256 the 32 bytes of its SHA-256 digest; copied
         */
        public Builder keyWithDigest(String user, byte[] sha256) {
            userWithDigest(user, sha256);
            keys.add(user);
            return this;
        }

        /**
         * Sets further facts about it, as {@link dev.sallyport.spi.Principal#attributes} shows them. One is known to the
         * engine: workloads with the same {@value WorkloadSpec#ORGANIZATION} are one client where clients share slots of the audit
         * log and memory for heads, however many they are and wherever they come from.
         */
        public Builder attributes(Map<String, String> facts) {
            if (facts.containsKey(Callers.USER)) {
                throw new IllegalArgumentException(
                        "an attribute user (expected: another name; it names the proxy user)");
            }
            attributes = Map.copyOf(facts);
            return this;
        }

        /** Sets its policy; without one it has that of the file. */
        public Builder pipeline(PipelineSpec policy) {
            pipeline = Objects.requireNonNull(policy, "policy");
            return this;
        }

        /** The workload. What is wrong with it, an update that contains it reports. */
        public WorkloadSpec build() {
            return new WorkloadSpec(this);
        }

        private static byte[] sha256(byte[] password) {
            try {
                return MessageDigest.getInstance("SHA-256").digest(password);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("SHA-256: not there (expected: every JDK has it)", e);
            }
        }
    }
}
