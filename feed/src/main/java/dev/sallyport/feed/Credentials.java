package dev.sallyport.feed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.core.PipelineUpdate;
import dev.sallyport.spi.SecretValue;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The secrets of a snapshot. Immutable; no text of it shows a value.
 *
 * @param byId what sources {@code control_plane} call them
 * @param expired whether the values are gone, because the control plane has not confirmed them for too long
 */
record Credentials(SortedMap<String, Credential> byId, boolean expired) {

    /** No secrets. */
    static final Credentials NONE = new Credentials(new TreeMap<>(), false);

    private static final String PURPOSE = "sallyport feed secrets 1";

    Credentials {
        byId = Collections.unmodifiableSortedMap(new TreeMap<>(byId));
    }

    /**
     * A secret.
     *
     * @param version told apart from other versions of the same secret, in the same epoch
     * @param value null where there is none: it has expired, or the control plane cannot read it
     */
    record Credential(String version, @Nullable SecretValue value) {}

    /**
     * Opens what the control plane has sealed.
     *
     * @param held what it adds to, unless it is the whole
     * @param proxy what the control plane calls this proxy
     * @throws UnusableSnapshotException unless it was sealed for this proxy, as it runs now, in this epoch
     */
    static Credentials of(JsonNode event, Credentials held, BootKey key, String proxy, String epoch)
            throws UnusableSnapshotException {
        SortedMap<String, Credential> secrets = new TreeMap<>();
        if (!event.path("whole").asBoolean()) {
            if (held.expired) {
                throw new UnusableSnapshotException("a difference from secrets that are not here");
            }
            secrets.putAll(held.byId);
            event.path("removed").forEach(id -> secrets.remove(id.asText()));
        }
        BootKey.Message message = event.path("secrets").isEmpty()
                ? null
                : key.open(binary(event.path("encapsulation")), bytes(PURPOSE, proxy, epoch));
        for (JsonNode secret : event.path("secrets")) {
            String id = secret.path("id").asText();
            String version = secret.path("version").asText();
            SecretValue value = null;
            if (message != null && secret.has("value")) {
                byte[] plain = message.open(binary(secret.path("value")), bytes(id, version));
                value = SecretValue.of(plain);
                Arrays.fill(plain, (byte) 0);
            }
            secrets.put(id, new Credential(version, value));
        }
        return new Credentials(secrets, false);
    }

    private static byte[] bytes(String... parts) {
        return String.join("\0", parts).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] binary(JsonNode node) throws UnusableSnapshotException {
        byte[] bytes;
        try {
            bytes = node.binaryValue();
        } catch (IOException e) { // its message would quote what is there
            throw new UnusableSnapshotException("secrets that are not in Base64");
        }
        if (bytes == null) {
            throw new UnusableSnapshotException("secrets that are not in Base64");
        }
        return bytes;
    }

    /** Reads what {@link #writeTo} has written. */
    static Credentials of(JsonNode secrets, boolean expired) throws UnusableSnapshotException {
        SortedMap<String, Credential> byId = new TreeMap<>();
        for (JsonNode secret : secrets) {
            SecretValue value = secret.has("value") ? SecretValue.of(binary(secret.path("value"))) : null;
            byId.put(
                    secret.path("id").asText(),
                    new Credential(secret.path("version").asText(), value));
        }
        return new Credentials(byId, expired);
    }

    /** Writes them, in clear. */
    void writeTo(ArrayNode secrets) {
        byId.forEach((id, credential) -> {
            ObjectNode secret = secrets.addObject().put("id", id).put("version", credential.version());
            SecretValue value = credential.value();
            if (value != null) {
                secret.put("value", value.bytes());
            }
        });
    }

    /**
     * The hash of a snapshot with these.
     *
     * @param pipeline the hash of its pipeline, which is that of both where there are no secrets
     */
    String hash(String pipeline) {
        if (byId.isEmpty()) {
            return pipeline;
        }
        StringBuilder text = new StringBuilder(pipeline).append('\n');
        byId.forEach((id, credential) ->
                text.append(id).append(' ').append(credential.version()).append('\n'));
        return Snapshot.sha256(text.toString());
    }

    /** The same secrets, without their values. */
    Credentials withoutValues() {
        SortedMap<String, Credential> without = new TreeMap<>();
        byId.forEach((id, credential) -> without.put(id, new Credential(credential.version(), null)));
        return new Credentials(without, true);
    }

    /** Whether there are values that may expire. */
    boolean mayExpire() {
        return !expired && !byId.isEmpty();
    }

    /**
     * Puts them into an update.
     *
     * @param epoch of their versions
     * @param before the ids of those that were delivered before, which go unless they are here
     * @param why it is that values have expired, for those whose requests need them
     */
    void into(PipelineUpdate.Builder update, String epoch, Set<String> before, String why) {
        before.forEach(update::removeSecret);
        byId.forEach((id, credential) -> {
            SecretValue value = credential.value();
            if (value != null) {
                update.secret(id, epoch + ":" + credential.version(), value);
            } else if (expired) {
                update.withdrawSecret(id, why);
            } else {
                update.removeSecret(id);
            }
        });
    }

    /** Without the values. */
    @Override
    public String toString() {
        return "Credentials" + byId.keySet();
    }
}
