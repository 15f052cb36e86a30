package dev.sallyport.core.secret;

import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.SecretException;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.SecretValue;
import dev.sallyport.spi.SourceContext;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The secrets that were delivered to a proxy, by global id. Never on disk. Thread-safe. */
public final class DeliveredSecrets implements SecretSourceFactory<DeliveredRef> {

    private final Map<String, Delivered> values = new ConcurrentHashMap<>();

    /** Why some are not there, for those whose requests need them. */
    private final Map<String, String> withdrawn = new ConcurrentHashMap<>();

    private record Delivered(String version, SecretValue value, DeliveredLife life) {}

    /**
     * Takes a value.
     *
     * @return whether it is another version than the one that was there
     */
    public boolean put(String id, String version, SecretValue value) {
        Delivered before = values.get(id);
        if (before != null && before.version().equals(version)) {
            return false;
        }
        values.put(id, new Delivered(version, value, before == null ? new DeliveredLife() : before.life()));
        withdrawn.remove(id);
        return true;
    }

    /** Whether there is a value of this id. */
    public boolean has(String id) {
        return values.containsKey(id);
    }

    /** Whether there is this version of a value. */
    public boolean has(String id, String version) {
        Delivered present = values.get(id);
        return present != null && present.version().equals(version);
    }

    /**
     * Deletes a value; returns its life, which is over once {@link SecretStore#deleted} has been told, or null when there
     * was none.
     *
     * @param why told to those whose requests need it; empty for nothing
     */
    public @Nullable DeliveredLife remove(String id, String why) {
        if (why.isEmpty()) {
            withdrawn.remove(id);
        } else {
            withdrawn.put(id, why);
        }
        Delivered gone = values.remove(id);
        return gone == null ? null : gone.life();
    }

    /** The ids of all that are there. */
    public Set<String> ids() {
        return Set.copyOf(values.keySet());
    }

    @Override
    public Descriptor<DeliveredRef> descriptor() {
        return new DeliveredSourceFactory().descriptor();
    }

    @Override
    public void validate(DeliveredRef config, Problems problems) {
        DeliveredSourceFactory.check(config, problems);
    }

    @Override
    public SecretSource create(DeliveredRef config, SourceContext context) {
        return new Source(config.ref());
    }

    /** One of them. */
    final class Source implements SecretSource {

        private final String id;
        private volatile @Nullable DeliveredLife life;

        private Source(String id) {
            this.id = id;
        }

        @Override
        public String name() {
            return id;
        }

        /** Why it is not there, for those whose requests need it; empty where nothing is to be said. */
        String whyAbsent() {
            return withdrawn.getOrDefault(id, "");
        }

        /** The life of what was read last; null before. */
        @Nullable DeliveredLife life() {
            return life;
        }

        @Override
        public SecretValue read() throws SecretException {
            Delivered delivered = values.get(id);
            if (delivered == null) {
                throw new SecretException("secret " + id + " has not been delivered, or was deleted");
            }
            life = delivered.life();
            return delivered.value();
        }
    }

    @Override
    public String toString() {
        return "DeliveredSecrets[" + values.size() + "]";
    }
}
