package dev.sallyport.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The quick way through JSON, against the reader of YAML, which takes all JSON too. */
class JsonReaderTest {

    private static final List<String> SCALARS = List.of(
            "\"\"",
            "\"text\"",
            "\"no\"",
            "\"<<\"",
            "\"1\"",
            "\"\\u00fc\\n\\t\\\"\\\\\\u0000\"",
            "\"ünï\"",
            "0",
            "-12",
            "1.50",
            "1e3",
            "-2.5E-7",
            "123456789012345678901234567890",
            "true",
            "false",
            "null");

    private static final List<String> GAPS = List.of("", " ", "\n", "\n  ", "   ");

    private final Random random = new Random(7);

    private static ConfigNode slowly(String text) {
        Findings findings = new Findings();
        ConfigNode node = YamlReader.read("f", "\uFEFF" + text, findings); // which the quick way does not take
        assertThat(findings.problems()).isEmpty();
        return node;
    }

    private String gap() {
        return GAPS.get(random.nextInt(GAPS.size()));
    }

    private String value(int depth) {
        int kind = random.nextInt(depth < 5 ? 4 : 2);
        if (kind < 2) {
            return SCALARS.get(random.nextInt(SCALARS.size()));
        }
        StringBuilder text = new StringBuilder(kind == 2 ? "[" : "{").append(gap());
        int size = random.nextInt(5);
        for (int i = 0; i < size; i++) {
            text.append(i == 0 ? "" : ",").append(gap());
            if (kind == 3) {
                text.append("\"k").append(i).append("\":").append(gap());
            }
            text.append(value(depth + 1)).append(gap());
        }
        return text.append(kind == 2 ? "]" : "}").toString();
    }

    @Test
    void whatItReadsIsWhatTheReaderOfYamlReads() {
        for (int i = 0; i < 500; i++) {
            String text = "{\"a\":" + gap() + value(0) + gap() + ",\"<<\": " + value(0) + "}" + gap();
            assertThat(JsonReader.read("f", text)).as(text).isNotNull().isEqualTo(slowly(text));
        }
    }

    @Test
    void aSlashMayBeEscaped() {
        assertThat(JsonReader.read("f", "{\"a\":\"x\\/y\"}")).isEqualTo(slowly("{\"a\":\"x/y\"}"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "1",
                "{a: b}",
                "{\"a\": b}",
                "{\"a\": 1,}",
                "{\"a\": 1, \"a\": 2}",
                "{\"a\": 1} {}",
                "{\"a\": 1} # comment",
                "{\"a\": 1",
                "{\"a\": \"\u0007\"}",
                "{\"a\": \"\u009f\"}",
                "{\"a\": \"\ud83d\ude00\"}",
                "{\"a\": [1}}",
            })
    void whatItIsNotSureOfItLeavesToTheReaderOfYaml(String text) {
        assertThat(JsonReader.read("f", text)).isNull();
    }

    @Test
    void whatIsBeyondTheLimitsItLeavesToo() {
        int depth = DocumentLimits.DEPTH;
        String deep = "{\"a\":".repeat(depth) + "1" + "}".repeat(depth);
        assertThat(JsonReader.read("f", deep)).isEqualTo(slowly(deep));
        assertThat(JsonReader.read("f", "{\"a\":" + deep + "}")).isNull();
        assertThat(JsonReader.read("f", "{\"a\":[" + "1,".repeat(DocumentLimits.NODES) + "1]}"))
                .isNull();
    }
}
