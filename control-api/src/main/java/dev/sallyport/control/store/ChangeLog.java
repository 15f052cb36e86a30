package dev.sallyport.control.store;

import dev.sallyport.control.model.WithoutCaller;
import jakarta.inject.Singleton;
import java.util.HashSet;
import java.util.Set;

/**
 * The changes of all processes, in the order of their commits: whoever has read up to a number has missed none before it.
 * Thread-safe; blocks.
 */
@Singleton
public final class ChangeLog {

    private final Store store;

    public ChangeLog(Store store) {
        this.store = store;
    }

    /** The number of the last change; 0 before the first. */
    @WithoutCaller("a number says nothing of anybody")
    public long last() {
        return store.read(Store::position);
    }

    /** The organizations with a change after one number and not after another. */
    @WithoutCaller("the feed follows all organizations")
    public Set<String> organizations(long after, long upTo) {
        return new HashSet<>(store.read(handle -> handle.createQuery(
                        "select distinct organization_id from change where position > :after and position <= :upTo")
                .bind("after", after)
                .bind("upTo", upTo)
                .mapTo(String.class)
                .list()));
    }
}
