package dev.sallyport.toolkit.secret;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.Secret;
import dev.sallyport.spi.SecretValue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is derived from secrets is made once, and goes with their values. */
class DerivedValueTest {

    private final List<Runnable> listeners = new ArrayList<>();
    private final Changing one = new Changing();
    private final Changing other = new Changing();
    private int made;

    /** A secret that a test replaces and deletes. */
    private final class Changing implements Secret {

        private @Nullable SecretValue value;
        private long version;

        void set(@Nullable String text) {
            value = text == null ? null : SecretValue.of(text);
            version++;
            listeners.forEach(Runnable::run);
        }

        @Override
        public String name() {
            return "changing";
        }

        @Override
        public boolean available() {
            return value != null;
        }

        @Override
        public SecretValue value() {
            if (value == null) {
                throw new IllegalStateException("no value");
            }
            return value;
        }

        @Override
        public long version() {
            return version;
        }
    }

    private DerivedValue<StringBuilder> both() {
        return new DerivedValue<>(listeners::add, this::derive, one, other);
    }

    private StringBuilder derive() {
        made++;
        return new StringBuilder(one.value().text()).append(other.value().text());
    }

    @Test
    void itIsMadeOnceForEachStateOfTheValues() {
        one.set("a");
        other.set("b");
        DerivedValue<StringBuilder> derived = both();

        assertThat(derived.current()).hasToString("ab");
        assertThat(derived.current()).hasToString("ab");
        assertThat(made).isEqualTo(1);
        other.set("c");
        assertThat(derived.current()).hasToString("ac");
        assertThat(made).isEqualTo(2);
    }

    @Test
    void thereIsNoneWithoutAValue() {
        one.set("a");
        DerivedValue<StringBuilder> derived = both();

        assertThat(derived.current()).isNull();
        assertThat(made).isZero();
    }

    @Test
    void afterADeletionItIsGoneFromMemory() throws InterruptedException {
        one.set("a");
        other.set("b");
        DerivedValue<StringBuilder> derived = both();
        WeakReference<StringBuilder> watched = new WeakReference<>(derived.current());

        one.set(null);

        assertThat(derived.current()).isNull();
        for (int i = 0; i < 100 && watched.get() != null; i++) {
            System.gc();
            Thread.sleep(20);
        }
        assertThat(watched.get()).isNull();
    }

    @Test
    void whatIsDeletedWhileItIsReadIsNone() {
        one.set("a");
        other.set("b");
        DerivedValue<StringBuilder> derived = new DerivedValue<>(
                listeners::add,
                () -> {
                    other.set(null);
                    return derive();
                },
                one,
                other);

        assertThat(derived.current()).isNull();
    }
}
