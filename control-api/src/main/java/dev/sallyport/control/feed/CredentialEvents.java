package dev.sallyport.control.feed;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.control.crypto.RecipientKey;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The secrets for one proxy, sealed with the key that it made when it started. A message is bound to the proxy and the
 * epoch, each value to its secret and version. Immutable.
 */
final class CredentialEvents {

    private static final String PURPOSE = "sallyport feed secrets 1";

    private final RecipientKey key;
    private final byte[] info;

    CredentialEvents(RecipientKey key, String proxy, String epoch) {
        this.key = key;
        this.info = bytes(PURPOSE, proxy, epoch);
    }

    private static byte[] bytes(String... parts) {
        return String.join("\0", parts).getBytes(StandardCharsets.UTF_8);
    }

    /** What the next snapshot has and the one before had not. */
    record Delta(List<Credentials.Change> changes, List<String> gone, boolean whole) {

        /** @param before what the proxy has; null when that is not known, so that it gets all */
        static Delta of(@Nullable Credentials before, Credentials next) {
            return before == null
                    ? new Delta(next.changedSince(Credentials.NONE), List.of(), true)
                    : new Delta(next.changedSince(before), next.goneSince(before), false);
        }

        /** Whether there is nothing to be said. */
        boolean isEmpty() {
            return !whole && changes.isEmpty() && gone.isEmpty();
        }

        /** About how long the event is, in bytes: values are in Base64. */
        long size() {
            return changes.stream()
                    .mapToLong(change -> change.stored().sealed().length * 4L / 3
                            + change.reference().length())
                    .sum();
        }
    }

    /**
     * The event; the snapshot that it belongs to follows. Null when a value cannot be decrypted any more: the proxy would
     * take what it gets for the whole.
     */
    @Nullable String event(Delta delta, Credentials next) {
        ObjectNode event = JsonNodeFactory.instance.objectNode().put("whole", delta.whole());
        ArrayNode secrets = event.putArray("secrets");
        if (!delta.changes().isEmpty()) {
            RecipientKey.Message message = key.seal(info);
            event.put("encapsulation", message.encapsulation());
            for (Credentials.Change change : delta.changes()) {
                byte[] place = bytes(change.reference(), change.version());
                byte @Nullable [] sealed = next.with(change, value -> message.seal(value, place));
                if (sealed == null) {
                    return null;
                }
                secrets.addObject()
                        .put("id", change.reference())
                        .put("version", change.version())
                        .put("value", sealed);
            }
        }
        delta.gone().forEach(event.putArray("removed")::add);
        return event.toString();
    }

    @Override
    public String toString() {
        return "CredentialEvents[]";
    }
}
