package dev.sallyport.control.feed;

import dev.sallyport.control.crypto.Tokens;
import dev.sallyport.control.secret.Secret;
import dev.sallyport.control.secret.SecretSet;
import dev.sallyport.control.secret.StoredSecret;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stored secrets of an organization for its proxies, as they were at one moment. Values are as they lie in the
 * database, and decrypted only while a proxy is given them. Those that could not be decrypted at that moment are left out,
 * from the hash too: so whoever has what is here is known to lack them. Thread-safe.
 */
public final class Credentials {

    private static final Logger LOG = LoggerFactory.getLogger(Credentials.class);

    /** No secrets. */
    static final Credentials NONE = new Credentials(new TreeMap<>(), Map.of(), new OpenValues(stored -> new byte[0]));

    private final SortedMap<String, StoredSecret> byReference;

    /** The versions of those that are left out, by their references. */
    private final Map<String, Long> leftOut;

    private final OpenValues values;

    private Credentials(SortedMap<String, StoredSecret> byReference, Map<String, Long> leftOut, OpenValues values) {
        this.byReference = byReference;
        this.leftOut = leftOut;
        this.values = values;
    }

    /**
     * Those of an organization.
     *
     * @param before as they were: of what was left out there, it is not logged again that it is
     */
    static Credentials of(String organization, SecretSet secrets, OpenValues values, Collection<Credentials> before) {
        if (secrets.secrets().isEmpty()) {
            return NONE;
        }
        SortedMap<String, StoredSecret> byReference = new TreeMap<>();
        Map<String, Long> leftOut = new HashMap<>();
        for (StoredSecret stored : secrets.secrets()) {
            String reference = reference(organization, stored.secret());
            RuntimeException fault = values.fault(stored);
            if (fault == null) {
                byReference.put(reference, stored);
            } else {
                leftOut.put(reference, stored.version());
                if (before.stream().noneMatch(earlier -> earlier.leavesOut(reference, stored.version()))) {
                    LOG.error(
                            "the value of {} cannot be decrypted, and proxies do without it until it can be",
                            stored.secret().id(),
                            fault);
                }
            }
        }
        return new Credentials(byReference, leftOut, values);
    }

    private boolean leavesOut(String reference, long version) {
        Long left = leftOut.get(reference);
        return left != null && left == version;
    }

    /** The same without some, which could not be delivered. */
    Credentials without(Set<String> references) {
        SortedMap<String, StoredSecret> others = new TreeMap<>(byReference);
        others.keySet().removeAll(references);
        return new Credentials(others, leftOut, values);
    }

    /** Whether all could be decrypted until now: else they have to be read again, and may then be decrypted. */
    boolean areReadable() {
        return leftOut.isEmpty() && !values.hasFailed();
    }

    /**
     * What a source {@code control_plane} calls a secret. It begins with the organization, so that no pipeline can name a
     * secret of another one, and ends with the name, which records of requests show.
     */
    static String reference(String organization, Secret secret) {
        return organization + "/" + secret.id() + "/" + secret.name();
    }

    /** What it calls those that are gone: nothing is ever delivered by this name. */
    static String referenceOfDeleted(String organization) {
        return organization + "/deleted";
    }

    /**
     * The hash of a pipeline with these secrets: another pipeline, secret or value makes another one.
     *
     * @param pipeline the hash of the pipeline alone, which is that of both where there are no secrets
     */
    String hash(String pipeline) {
        if (byReference.isEmpty()) {
            return pipeline;
        }
        StringBuilder text = new StringBuilder(pipeline).append('\n');
        byReference.forEach((reference, stored) ->
                text.append(reference).append(' ').append(stored.version()).append('\n'));
        return Tokens.hash(text.toString());
    }

    /**
     * A secret to be delivered.
     *
     * @param version told apart from earlier ones of the same secret
     */
    record Change(String reference, String version, StoredSecret stored) {}

    /** Those that are new or have another value than before, by their references. */
    List<Change> changedSince(Credentials before) {
        List<Change> changes = new ArrayList<>();
        byReference.forEach((reference, stored) -> {
            StoredSecret earlier = before.byReference.get(reference);
            if (earlier == null || earlier.version() != stored.version()) {
                changes.add(new Change(reference, String.valueOf(stored.version()), stored));
            }
        });
        return changes;
    }

    /** The references of those that were there before and are gone. */
    List<String> goneSince(Credentials before) {
        return before.byReference.keySet().stream()
                .filter(reference -> !byReference.containsKey(reference))
                .toList();
    }

    /**
     * What is made of a value; null when it cannot be decrypted.
     *
     * @param use must not keep the bytes
     */
    <T> @Nullable T with(Change change, Function<byte[], T> use) {
        return values.with(change.stored(), use);
    }

    /** Many proxies are about to get values: see {@link OpenValues#keep}. */
    OpenValues values() {
        return values;
    }

    /** Without the values. */
    @Override
    public String toString() {
        return "Credentials" + byReference.keySet();
    }
}
