package dev.sallyport.sandboxd.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script that replaces another one, in a folder of this machine; guests have it in {@code GuestSuite}. */
class GuestProfileTest {

    @TempDir
    Path folder;

    private Path profile() {
        return folder.resolve("sallyport.sh");
    }

    /** @param lost how much of what the script is to read does not reach it */
    private GuestShell shell(int lost) {
        return (script, arguments, input, most) -> {
            List<String> all =
                    new ArrayList<>(List.of("sh", "-c", script.replace("/etc/profile.d", folder.toString()), "test"));
            all.addAll(arguments);
            Command.of(all)
                    .reading(stream -> {
                        ByteArrayOutputStream whole = new ByteArrayOutputStream();
                        input.writeTo(whole);
                        stream.write(whole.toByteArray(), 0, whole.size() - lost);
                    })
                    .run();
            return new byte[0];
        };
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }

    @Test
    void theScriptIsReplacedAndNothingIsLeftBesideIt() throws Exception {
        GuestProfile.replace(shell(0), "first ä\n", false);
        GuestProfile.replace(shell(0), "second\n", false);

        assertThat(profile()).hasContent("second\n");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(profile())))
                .isEqualTo("rw-r--r--");
        assertThat(files()).containsExactly(profile());
    }

    @Test
    void aLinkIsReplacedAndNotFollowed() throws Exception {
        Path other = Files.writeString(folder.resolve("other"), "kept\n");
        Files.createSymbolicLink(profile(), other);

        GuestProfile.replace(shell(0), "new\n", false);

        assertThat(other).hasContent("kept\n");
        assertThat(profile()).isRegularFile().hasContent("new\n");
    }

    @Test
    void aPartOfAScriptTakesThePlaceOfNone() throws Exception {
        Files.writeString(profile(), "former\n");

        assertThatThrownBy(() -> GuestProfile.replace(shell(1), "whole\n", false))
                .isInstanceOf(CommandException.class);

        assertThat(profile()).hasContent("former\n");
        assertThat(files()).containsExactly(profile());
    }
}
