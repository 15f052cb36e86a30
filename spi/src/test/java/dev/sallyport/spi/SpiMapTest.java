package dev.sallyport.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The map for authors, {@code docs/spi.md}, names every type of the package once, under the heading where it belongs. */
class SpiMapTest {

    private static final Path MAP = Path.of("..", "docs", "spi.md");
    private static final Path SOURCES = Path.of("src", "main", "java", "dev", "sallyport", "spi");
    private static final Pattern TABLE = Pattern.compile("(?m)^\\| Type \\|.*\n\\|---\\|---\\|\n((?:\\|.*\n)+)");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(\\w+)` \\| \\S.* \\|$");

    @Test
    void everyTypeIsOnTheMapOnce() throws Exception {
        List<String> named = new ArrayList<>();
        types().values().forEach(types -> types.forEach(type -> named.add(type.getSimpleName())));
        assertThat(named).containsExactlyInAnyOrderElementsOf(published());
    }

    /** What plug-ins construct may grow, so nobody calls a constructor of it. */
    @Test
    void whatIsReturnedHasNoPublicConstructor() throws Exception {
        for (Class<?> type : types().get("Return")) {
            assertThat(type.getConstructors()).as(type.getSimpleName()).isEmpty();
        }
        for (Class<?> type : List.of(
                Decision.Reject.class, ResponseDecision.Refuse.class, Admission.Refuse.class, Principal.class)) {
            assertThat(type.getConstructors()).as(type.getName()).isEmpty();
        }
    }

    @Test
    void whatIsImplementedIsAnInterface() throws Exception {
        assertThat(types().get("Implement")).allMatch(Class::isInterface);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Enums", "Exceptions"})
    void enumsAndExceptionsHaveTablesOfTheirOwn(String heading) throws Exception {
        Map<String, List<Class<?>>> types = types();
        Class<?> kind = heading.equals("Enums") ? Enum.class : Throwable.class;
        assertThat(types.get(heading)).isNotEmpty().allMatch(kind::isAssignableFrom);
        types.forEach((other, listed) -> {
            if (!other.equals(heading)) {
                assertThat(listed).as(other).noneMatch(kind::isAssignableFrom);
            }
        });
    }

    /** The types of each table, by the heading above it. */
    private static Map<String, List<Class<?>>> types() throws IOException, ClassNotFoundException {
        Map<String, List<Class<?>>> types = new LinkedHashMap<>();
        for (String section : Files.readString(MAP).split("(?m)^## ", -1)) {
            Matcher table = TABLE.matcher(section);
            if (table.find()) {
                List<Class<?>> listed = new ArrayList<>();
                Matcher rows = ROW.matcher(table.group(1));
                while (rows.find()) {
                    listed.add(Class.forName("dev.sallyport.spi." + rows.group(1)));
                }
                assertThat(table.group(1).lines()).as("rows of a type each").hasSize(listed.size());
                types.put(section.lines().findFirst().orElseThrow(), listed);
            }
        }
        assertThat(types).containsOnlyKeys("Implement", "Return", "Receive", "Enums", "Exceptions");
        return types;
    }

    /** The public types of the package, by their sources. */
    private static List<String> published() throws Exception {
        List<String> names = new ArrayList<>();
        try (Stream<Path> files = Files.list(SOURCES)) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString().replace(".java", "");
                if (!name.equals("package-info")
                        && Modifier.isPublic(
                                Class.forName("dev.sallyport.spi." + name).getModifiers())) {
                    names.add(name);
                }
            }
        }
        return names;
    }
}
