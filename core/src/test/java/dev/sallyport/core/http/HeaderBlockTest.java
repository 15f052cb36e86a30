package dev.sallyport.core.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HeaderBlockTest {

    private static final String[] NAMES = {
        "Host",
        "host",
        "HOST",
        "TE",
        "te",
        "Cookie",
        "X-Request-Id",
        "x-request-ID",
        "Accept",
        "AccepT",
        "a",
        "A",
        "Via"
    };

    private record Line(String name, String value) {}

    /** Edits of all kinds, against a list that is looked at line by line. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void findsWhatIsThereAfterAnyEdits(long seed) {
        Random random = new Random(seed);
        HeaderBlock block = new HeaderBlock(random.nextInt(3));
        List<Line> lines = new ArrayList<>();
        for (int step = 0; step < 2_000; step++) {
            String name = NAMES[random.nextInt(NAMES.length)];
            String value = Integer.toString(step);
            int at = lines.isEmpty() ? 0 : random.nextInt(lines.size());
            switch (random.nextInt(lines.size() > 12 ? 9 : 7)) {
                case 0, 1 -> {
                    block.append(name, value);
                    lines.add(new Line(name, value));
                }
                case 2 -> {
                    block.insert(at, name, value);
                    lines.add(at, new Line(name, value));
                }
                case 3 -> {
                    if (!lines.isEmpty()) {
                        block.setLine(at, name, value);
                        lines.set(at, new Line(name, value));
                    }
                }
                case 4 -> {
                    boolean removed = lines.removeIf(line -> line.name().equalsIgnoreCase(name));
                    assertThat(block.removeAll(name)).isEqualTo(removed);
                }
                case 5 -> block = block.copy();
                case 6 -> {
                    if (!lines.isEmpty()) {
                        block.removeAt(at);
                        lines.remove(at);
                    }
                }
                default -> {
                    block.clear();
                    lines.clear();
                }
            }
            check(block, lines);
        }
    }

    private static void check(HeaderBlock block, List<Line> lines) {
        assertThat(block.size()).isEqualTo(lines.size());
        for (String name : NAMES) {
            List<String> values = lines.stream()
                    .filter(line -> line.name().equalsIgnoreCase(name))
                    .map(Line::value)
                    .toList();
            assertThat(block.all(name)).isEqualTo(values);
            assertThat(block.contains(name)).isEqualTo(!values.isEmpty());
            assertThat(block.first(name)).isEqualTo(values.isEmpty() ? null : values.getFirst());
            assertThat(block.count(name)).isEqualTo(values.size());
            assertThat(block.containsValue(name, "1", true)).isEqualTo(values.contains("1"));
        }
    }

    @Test
    @DisplayName("Every name of a token is found in every casing")
    void anyToken() {
        Random random = new Random(9);
        for (int i = 0; i < 5_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int n = 1 + random.nextInt(40); n > 0; n--) {
                text.append((char) (0x21 + random.nextInt(0x5E)));
            }
            String name = text.toString();
            HeaderBlock block = new HeaderBlock(0).append(name, "v");
            assertThat(block.first(name.toUpperCase(Locale.ROOT))).isEqualTo("v");
            assertThat(block.first(name.toLowerCase(Locale.ROOT))).isEqualTo("v");
        }
    }

    @Test
    void trailersThatAreNotThereShareTheirArray() {
        HeaderBlock none = new HeaderBlock(0);
        HeaderBlock other = new HeaderBlock(0);
        none.append("A", "1").clear();

        assertThat(none.isEmpty()).isTrue();
        assertThat(other.append("B", "2").entries()).hasSize(1);
        assertThat(none.contains("B")).isFalse();
    }

    @Test
    void crumbsAreOneLineWhereTheFirstStood() {
        HeaderBlock block = new HeaderBlock()
                .append("a", "1")
                .append("cookie", "x=1")
                .append("b", "2")
                .append("Cookie", "")
                .append("cookie", "y=2")
                .append("c", "3");

        block.joinCrumbs("cookie");

        assertThat(block.size()).isEqualTo(4);
        assertThat(block.copy().all("cookie")).containsExactly("x=1; y=2");
        assertThat(block.value(1)).isEqualTo("x=1; y=2");
        assertThat(block.name(2)).isEqualTo("b");
        assertThat(block.value(3)).isEqualTo("3");
        block.setValue(1, "z=3");
        assertThat(block.first("cookie")).isEqualTo("z=3");
    }

    @Test
    void oneCrumbIsLeftAsItIs() {
        HeaderBlock block = new HeaderBlock().append("cookie", "x=1").append("a", "1");

        block.joinCrumbs("cookie");

        assertThat(block.value(0)).isEqualTo("x=1");
        assertThat(block.size()).isEqualTo(2);
    }
}
