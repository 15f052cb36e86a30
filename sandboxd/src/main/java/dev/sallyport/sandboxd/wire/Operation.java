package dev.sallyport.sandboxd.wire;

import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What can be asked: the methods of a driver, and what they take. */
public enum Operation {
    /** {@code availability()}. */
    AVAILABILITY,
    /** {@code images()}. */
    IMAGES,
    /** {@code create(id, spec)}. */
    CREATE,
    /** {@code start(id)}. */
    START,
    /** {@code stop(id, grace_millis)}. */
    STOP,
    /** {@code destroy(id)}. */
    DESTROY,
    /** {@code observe(id)}. */
    OBSERVE,
    /** {@code observe_all()}. */
    OBSERVE_ALL,
    /** {@code host_keys(id)}. */
    HOST_KEYS,
    /** {@code refused(id)}. */
    REFUSED,
    /** {@code capture(snapshot, id)}. */
    CAPTURE,
    /** {@code seal(snapshot)}. */
    SEAL,
    /** {@code discard(snapshot)}. */
    DISCARD,
    /** {@code snapshots()}. */
    SNAPSHOTS,
    /** {@code run(id, task, program)}. */
    RUN,
    /** {@code report(id, task, offset)}. */
    REPORT,
    /** {@code refresh(id, variables)}. */
    REFRESH;

    /** The members of its request, besides {@code version} and {@code operation}; all of them are required. */
    public Set<String> arguments() {
        return switch (this) {
            case AVAILABILITY, IMAGES, OBSERVE_ALL, SNAPSHOTS -> Set.of();
            case CREATE -> Set.of("id", "spec");
            case STOP -> Set.of("id", "grace_millis");
            case CAPTURE -> Set.of("snapshot", "id");
            case RUN -> Set.of("id", "task", "program");
            case REPORT -> Set.of("id", "task", "offset");
            case REFRESH -> Set.of("id", "variables");
            case SEAL, DISCARD -> Set.of("snapshot");
            case START, DESTROY, OBSERVE, HOST_KEYS, REFUSED -> Set.of("id");
        };
    }

    /** Its name in a request. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The operation of a name; null for none. */
    public static @Nullable Operation named(String name) {
        for (Operation operation : values()) {
            if (operation.wireName().equals(name)) {
                return operation;
            }
        }
        return null;
    }

    /** The names of all. */
    public static String names() {
        return Arrays.stream(values()).map(Operation::wireName).collect(Collectors.joining(", "));
    }
}
