package dev.sallyport.toolkit.secret;

import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Secret;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What is derived from the values of secrets, such as a key: made once for each state of the values, and gone from memory
 * when one of them is replaced or deleted. Thread-safe; a look-up allocates nothing while the values stay.
 *
 * @param <T> the derived value; immutable
 */
public final class DerivedValue<T> {

    private final Secret[] secrets;
    private final Supplier<T> maker;
    private volatile @Nullable Known<T> known;

    private record Known<T>(long version, T value) {

        @Override
        public String toString() {
            return "Known[***]";
        }
    }

    /**
     * A value that is made when it is first asked for.
     *
     * @param maker reads the secrets; called by any thread, and by several at once
     */
    public DerivedValue(BuildContext context, Supplier<T> maker, Secret... secrets) {
        this(context::onSecretChange, maker, secrets);
    }

    /** @param changes where it registers to be told of changes */
    DerivedValue(Consumer<Runnable> changes, Supplier<T> maker, Secret... secrets) {
        this.maker = maker;
        this.secrets = secrets.clone();
        changes.accept(this::forgetFormer);
    }

    /** What is derived from the present values; null when one of the secrets has none. */
    public @Nullable T current() {
        // The versions are read before the values, so that a value that changes in between is read again.
        long version = version();
        Known<T> last = known;
        if (last != null && last.version == version) {
            return last.value;
        }
        return available() ? make(version) : null;
    }

    private @Nullable T make(long version) {
        T value;
        try {
            value = maker.get();
        } catch (IllegalStateException e) {
            if (available()) {
                throw e;
            }
            return null; // deleted since it was asked for
        }
        known = new Known<>(version, value);
        forgetFormer();
        return value;
    }

    /** Versions only grow: their sum is the same while each of them is. */
    private long version() {
        long sum = 0;
        for (Secret secret : secrets) {
            sum += secret.version();
        }
        return sum;
    }

    private boolean available() {
        for (Secret secret : secrets) {
            if (!secret.available()) {
                return false;
            }
        }
        return true;
    }

    private void forgetFormer() {
        Known<T> last = known;
        if (last != null && last.version != version()) {
            known = null;
        }
    }

    @Override
    public String toString() {
        return "DerivedValue[" + secrets.length + " secrets]";
    }
}
