package dev.sallyport.ctl.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.ctl.problem.Problem;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PolicyFileTest {

    @TempDir
    Path folder;

    private static String read(byte[] bytes) throws Problem {
        return Json.pretty(PolicyFile.read("-", new ByteArrayInputStream(bytes)))
                .replaceAll("\\s+", "");
    }

    private static String read(String text) throws Problem {
        return read(text.replace("\\n", "\n").getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void yamlAndJsonAreTheSame() throws Exception {
        assertThat(read("a: 1\nb: [x, 'true', true, null]\n")).isEqualTo("{\"a\":1,\"b\":[\"x\",\"true\",true,null]}");
        assertThat(read("  {\"a\": 1,\t\"b\": [\"x\", \"true\", true, null]}\n"))
                .isEqualTo(read("a: 1\nb: [x, 'true', true, null]"));
    }

    @Test
    void numbersStayAsTheyAre() throws Exception {
        assertThat(read("{\"equals\": 1.10, \"in\": [12345678901234567890]}"))
                .isEqualTo("{\"equals\":1.10,\"in\":[12345678901234567890]}");
        assertThat(read("equals: 1.10")).isEqualTo("{\"equals\":1.10}");
    }

    @Test
    void whatTheApiAnsweredIsTakenOutOfData() throws Exception {
        assertThat(read("data: {name: a}")).isEqualTo("{\"name\":\"a\"}");
        assertThat(read("data: {name: a}\nname: b")).isEqualTo("{\"data\":{\"name\":\"a\"},\"name\":\"b\"}");
    }

    @Test
    void whatWasWrittenIsReadAgain() throws Exception {
        String json = "{\"a\":[\"on\",\"1e3\",\"~\",\"\",\"x:y\",\"0x1F\",\"2001-01-01\"],\"n\":2.50}";

        assertThat(read(Json.yaml(Json.parse(json.getBytes(StandardCharsets.UTF_8)))))
                .isEqualTo(json);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "a: hunter2: x | standard input:1:11: malformed",
                "{\\n 'a': hunter2} | standard input:2:2: malformed",
                "a: hunter2\\na: hunter2 | standard input:2:",
                "a: &x hunter2\\nb: *x | standard input:2:4: an alias",
                "a: hunter2\\n---\\nb: 1 | standard input: several documents",
                "- hunter2 | standard input: not one policy",
                "hunter2 | standard input: not one policy",
                "# hunter2 | standard input: empty"
            })
    void errorsTellThePlaceAndQuoteNothing(String text, String message) {
        assertThatThrownBy(() -> read(text))
                .isInstanceOf(Problem.class)
                .hasMessageStartingWith(message)
                .hasMessageContaining("(expected: ")
                .hasMessageNotContaining("hunter2");
    }

    @Test
    void whatCannotBeReadIsNamed() {
        assertThatThrownBy(() ->
                        PolicyFile.read(folder.resolve("none.yaml").toString(), new ByteArrayInputStream(new byte[0])))
                .hasMessageEndingWith("none.yaml: cannot be read (expected: a file of YAML or JSON)");
        assertThatThrownBy(() -> read(new byte[] {'a', ':', ' ', (byte) 0xff}))
                .hasMessageStartingWith("standard input: not text");
        assertThatThrownBy(() -> read("a".repeat(9 << 20))).hasMessageStartingWith("standard input: longer than 8 MiB");
    }
}
