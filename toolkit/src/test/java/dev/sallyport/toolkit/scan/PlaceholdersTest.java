package dev.sallyport.toolkit.scan;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PlaceholdersTest {

    private static final List<byte[]> MANY = IntStream.range(0, 200)
            .mapToObj(i -> "PLACEHOLDER_<%d>".formatted(i).getBytes(UTF_8))
            .toList();

    /** The search in XML is a large one: it is not made where nobody looks into a body. */
    @Test
    void whatIsForHeadsAloneTakesLessThanHalf() {
        long all = allocated(() -> Placeholders.of(MANY));
        long heads = allocated(() -> Placeholders.ofHeads(MANY));

        assertThat(heads).isPositive().isLessThan(all / 2);
    }

    @Test
    void whatIsForHeadsAloneSwapsInHeads() {
        PlaceholderReplacer replacer = Placeholders.ofHeads(MANY).replacer();
        byte[] value = "real".getBytes(UTF_8);

        assertThat(replacer.header("a PLACEHOLDER_<7> b", token -> value)).isEqualTo("a real b");
        assertThat(replacer.query("a=PLACEHOLDER_%3C7%3E", (token, name) -> value))
                .isEqualTo("a=real");
        assertThat(replacer.path("/PLACEHOLDER_%3C7%3E", token -> value)).isEqualTo("/real");
    }

    /** It would let placeholders through: who wants it in a body is told. */
    @Test
    void whatIsForHeadsAloneRefusesBodies() {
        PlaceholderReplacer replacer = Placeholders.ofHeads(MANY).replacer();

        assertThatThrownBy(() -> replacer.body("application/xml", token -> null))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("compiled for bodies too");
    }

    private static long allocated(Supplier<Placeholders> made) {
        long before = Allocations.ofThisThread();
        Placeholders placeholders = made.get();
        long after = Allocations.ofThisThread();
        assertThat(placeholders.matcher().matches("PLACEHOLDER_<0>")).isTrue();
        return after - before;
    }
}
