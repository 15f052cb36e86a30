package dev.sallyport.control.feed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.control.secret.Secret;
import dev.sallyport.control.secret.StoredSecret;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Values are decrypted while they are used, each once in a round, and cleared. */
class OpenValuesTest {

    private final List<byte[]> decrypted = new ArrayList<>();
    private final OpenValues values = new OpenValues(stored -> {
        byte[] value = stored.sealed().clone();
        decrypted.add(value);
        return value;
    });

    private static StoredSecret stored(String value) {
        return new StoredSecret(
                new Secret("sec_a", "a", "A", List.of("*"), "p", null, false, Instant.EPOCH, Instant.EPOCH),
                1,
                value.getBytes(StandardCharsets.UTF_8));
    }

    private String text(StoredSecret stored) {
        return values.with(stored, bytes -> new String(bytes, StandardCharsets.UTF_8));
    }

    @Test
    void eachIsDecryptedOnceWhileTheyAreKeptOpenAndClearedAtTheEnd() {
        StoredSecret one = stored("one");
        StoredSecret two = stored("two");
        values.keep();
        for (int i = 0; i < 10; i++) {
            assertThat(text(one)).isEqualTo("one");
            assertThat(text(two)).isEqualTo("two");
        }
        assertThat(decrypted).hasSize(2);

        values.close();

        assertThat(decrypted).allSatisfy(bytes -> assertThat(bytes).containsOnly(0));
        assertThat(text(one)).as("later, for one that was late").isEqualTo("one");
        assertThat(decrypted.getLast()).containsOnly(0);
    }

    @Test
    void oneThatCannotBeDecryptedIsNothing() {
        OpenValues broken = new OpenValues(stored -> {
            throw new IllegalStateException("made to fail");
        });

        assertThat(broken.fault(stored("x"))).hasMessage("made to fail");
        assertThat(broken.hasFailed()).as("nobody needed it").isFalse();
        assertThat(broken.<String>with(stored("x"), bytes -> "used")).isNull();
        assertThat(broken.hasFailed()).isTrue();
    }

    @Test
    void whatIsTriedIsCleared() {
        assertThat(values.fault(stored("one"))).isNull();

        assertThat(decrypted.getLast()).containsOnly(0);
    }
}
