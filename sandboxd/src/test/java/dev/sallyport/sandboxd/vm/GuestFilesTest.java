package dev.sallyport.sandboxd.vm;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a guest is told. */
class GuestFilesTest {

    @Test
    void aShellReadsValuesAsTheyAre() throws Exception {
        String value = "it's $(id) `id` \"x\" \\ \n end";

        Process shell = new ProcessBuilder("sh", "-c", GuestFiles.profile(Map.of("A", value)) + "printf %s \"$A\"")
                .redirectErrorStream(true)
                .start();

        assertThat(new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo(value);
    }
}
