package dev.sallyport.control.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Arguments of agents, as a shell separates them. */
class WordsTest {

    /** What the machine's own shell makes of a text that has nothing but blanks, quotes and backslashes. */
    private static List<String> shell(String text) throws Exception {
        Process process = new ProcessBuilder(
                        "sh", "-c", "set -f; IFS=\nfor word in " + text + "\ndo printf '%s\\0' \"$word\"; done")
                .redirectErrorStream(true)
                .start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(text + ": " + printed).isZero();
        List<String> words = new ArrayList<>(List.of(printed.split("\0", -1)));
        words.removeLast();
        return words;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a b  c",
                "  a\tb ",
                "'a b' \"c d\"",
                "a'b'\"c\"d",
                "'' \"\"",
                "a\\ b \\'c",
                "\"a\\\"b\\\\c\\d\"",
                "'a\\b'",
                "--x='y z' -- -"
            })
    void wordsAreThoseOfAShell(String text) throws Exception {
        assertThat(Words.of(text)).contains(shell(text));
    }

    @Test
    void generatedTextsAreReadAsAShellReadsThem() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int compared = 0;
        while (compared < 40) {
            StringBuilder text = new StringBuilder("x");
            for (int i = random.nextInt(12); i >= 0; i--) {
                text.append("ab \t'\"\\".charAt(random.nextInt(7)));
            }
            if (Words.of(text.toString()).isPresent()) {
                assertThat(Words.of(text.toString()))
                        .as("seed " + seed + ": " + text)
                        .contains(shell(text.toString()));
                compared++;
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"'a", "\"a", "a\\", "\"a\\\"", "a 'b\"c"})
    void whatDoesNotEndIsNone(String text) {
        assertThat(Words.of(text)).isEmpty();
    }

    @Test
    void nothingElseOfAShellIsKnown() {
        assertThat(Words.of("$HOME `id` $(id) * ; | & > x #y"))
                .contains(List.of("$HOME", "`id`", "$(id)", "*", ";", "|", "&", ">", "x", "#y"));
        assertThat(Words.of(" \n ")).contains(List.of());
    }
}
