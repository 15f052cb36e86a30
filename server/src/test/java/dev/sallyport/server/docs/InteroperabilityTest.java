package dev.sallyport.server.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Each case in docs/interoperability.md says what became of it before and now, and names tests that exist. */
class InteroperabilityTest {

    private static final Path PAGE = CitationsTest.REPOSITORY.resolve("docs/interoperability.md");
    private static final Pattern BETWEEN_CELLS = Pattern.compile("(?<!\\\\)\\|");
    private static final Pattern TEST = Pattern.compile("`(?:([A-Z]\\w*Test)\\b\\.?)?([a-z]\\w*)?`");
    private static final int CELLS = 4;

    private static List<String[]> rows() throws IOException {
        List<String[]> rows = new ArrayList<>();
        for (String line : Files.readAllLines(PAGE)) {
            if (line.startsWith("|") && !line.startsWith("|---") && !line.startsWith("| case |")) {
                String[] cells =
                        BETWEEN_CELLS.split(line.substring(1, line.length() - 1).strip(), -1);
                for (int i = 0; i < cells.length; i++) {
                    cells[i] = cells[i].strip();
                }
                rows.add(cells);
            }
        }
        return rows;
    }

    @Test
    void every_row_has_a_case_before_now_and_a_test() throws IOException {
        assertThat(rows())
                .hasSizeGreaterThan(50)
                .allSatisfy(cells -> assertThat(cells).hasSize(CELLS).doesNotContain(""));
        assertThat(Files.readString(PAGE)).doesNotContain("| case | what happens");
    }

    @Test
    void every_test_that_it_names_is_there() throws IOException {
        Map<String, Path> classes = new HashMap<>();
        for (String file : CitationsTest.files()) {
            Path path = CitationsTest.REPOSITORY.resolve(file);
            classes.put(path.getFileName().toString(), path);
        }
        List<String> missing = new ArrayList<>();
        int named = 0;
        for (String[] cells : rows()) {
            Matcher tests = TEST.matcher(cells[CELLS - 1]);
            String name = "";
            while (tests.find()) {
                named++;
                String type = tests.group(1);
                if (type != null) {
                    name = type;
                }
                String method = tests.group(2);
                Path source = classes.get(name + ".java");
                if (source == null || !has(source, method)) {
                    missing.add(tests.group());
                }
            }
            assertThat(name).as("a test for: %s", cells[0]).isNotEmpty();
        }
        assertThat(missing).isEmpty();
        assertThat(named).isGreaterThan(rows().size());
    }

    private static boolean has(Path source, @Nullable String method) throws IOException {
        return method == null || Files.readString(source).contains("void " + method + "(");
    }
}
