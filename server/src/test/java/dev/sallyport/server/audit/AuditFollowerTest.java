package dev.sallyport.server.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditFollowerTest {

    private final List<String> seen = new ArrayList<>();

    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void prepare() throws IOException {
        file = Files.writeString(folder.resolve("audit.jsonl"), "1\n2\n3\n");
    }

    private void append(String text) throws IOException {
        Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private void rotate(String number) throws IOException {
        Files.move(file, folder.resolve("audit.jsonl." + number));
    }

    private List<String> polled(AuditFollower follower) throws IOException {
        seen.clear();
        follower.poll();
        return seen;
    }

    @Test
    void begins_with_the_last_lines_and_goes_on_with_those_that_are_complete() throws Exception {
        try (AuditFollower follower = new AuditFollower(file, 2, seen::add)) {
            assertThat(polled(follower)).containsExactly("2", "3");
            append("4\n5");
            assertThat(polled(follower)).containsExactly("4");
            append("5\n\u00e9\n");
            assertThat(polled(follower)).containsExactly("55", "\u00e9");
            assertThat(polled(follower)).isEmpty();
        }
        try (AuditFollower none = new AuditFollower(file, 0, seen::add)) {
            assertThat(polled(none)).isEmpty();
        }
        try (AuditFollower all = new AuditFollower(file, 100, seen::add)) {
            assertThat(polled(all)).hasSize(6);
        }
    }

    @Test
    void misses_nothing_however_often_the_file_is_rotated_between_two_looks() throws Exception {
        try (AuditFollower follower = new AuditFollower(file, 0, seen::add)) {
            append("4\n");
            rotate("000001");
            append("5\n");
            rotate("000002");
            append("6\n");

            assertThat(polled(follower)).containsExactly("4", "5", "6");

            append("7\n");
            rotate("000003");
            assertThat(polled(follower)).as("before there is a new file").containsExactly("7");
            append("8\n");
            assertThat(polled(follower)).containsExactly("8");
        }
    }

    @Test
    void goes_on_when_its_file_was_deleted_or_emptied() throws Exception {
        try (AuditFollower follower = new AuditFollower(file, 0, seen::add)) {
            rotate("000001");
            append("4\n");
            Files.delete(folder.resolve("audit.jsonl.000001"));
            assertThat(polled(follower)).containsExactly("4");

            Files.writeString(file, "");
            assertThat(polled(follower)).isEmpty();
            append("5\n");
            assertThat(polled(follower)).containsExactly("5");
        }
    }
}
