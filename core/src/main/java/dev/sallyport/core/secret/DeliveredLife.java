package dev.sallyport.core.secret;

/**
 * The time of one delivered secret from its delivery until its deletion, over all its values. Whoever has had a value can
 * tell by it that the secret is gone, although nothing else of it is left. Thread-safe.
 */
public final class DeliveredLife {

    private volatile long deletedAt;

    DeliveredLife() {}

    /** The number of its deletion, by {@link SecretStore#deletions}; 0 before. */
    long deletedAt() {
        return deletedAt;
    }

    void deletedAt(long deletion) {
        deletedAt = deletion;
    }

    @Override
    public String toString() {
        return "DeliveredLife[" + (deletedAt == 0 ? "there" : "deleted") + "]";
    }
}
