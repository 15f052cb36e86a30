package dev.sallyport.core.redact;

import dev.sallyport.spi.Credential;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A set of credentials, each with the transform that put it in. Immutable; its hash is precomputed, so that it can be a
 * key.
 */
final class CredentialSet {

    static final CredentialSet EMPTY = new CredentialSet(Map.of());

    private final Map<Credential, String> stages;
    private final CredentialSet inContent;
    private final int hash;

    CredentialSet(Map<Credential, String> stages) {
        this.stages = stages.isEmpty() ? Map.of() : new LinkedHashMap<>(stages);
        this.hash = this.stages.hashCode();
        this.inContent =
                this.stages.keySet().stream().allMatch(Credential::inContent) ? this : only(Credential::inContent);
    }

    boolean isEmpty() {
        return stages.isEmpty();
    }

    boolean contains(Credential secret) {
        return stages.containsKey(secret);
    }

    /** This set and one more. */
    CredentialSet with(String stage, Credential secret) {
        if (contains(secret)) {
            return this;
        }
        Map<Credential, String> more = new LinkedHashMap<>(stages);
        more.put(secret, stage);
        return new CredentialSet(more);
    }

    /** This set and another. */
    CredentialSet with(CredentialSet others) {
        CredentialSet more = this;
        for (Map.Entry<Credential, String> other : others.stages.entrySet()) {
            more = more.with(other.getValue(), other.getKey());
        }
        return more;
    }

    /** The transform of each credential; read-only. */
    Map<Credential, String> stages() {
        return stages;
    }

    /** Those that are also searched for in the content of successful responses. */
    CredentialSet inContent() {
        return inContent;
    }

    /** Those that this predicate accepts. */
    CredentialSet only(Predicate<Credential> wanted) {
        Map<Credential, String> some = new LinkedHashMap<>(stages);
        some.keySet().removeIf(wanted.negate());
        return some.size() == stages.size() ? this : new CredentialSet(some);
    }

    /** The total length of the values in bytes. */
    int bytes() {
        int sum = 0;
        for (Credential secret : stages.keySet()) {
            sum += secret.length();
        }
        return sum;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || (other instanceof CredentialSet that && hash == that.hash && stages.equals(that.stages));
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        return "CredentialSet[" + stages.size() + "]";
    }
}
