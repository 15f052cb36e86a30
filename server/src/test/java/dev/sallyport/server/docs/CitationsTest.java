package dev.sallyport.server.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Everything that the repository cites of its own documentation is there. */
class CitationsTest {

    static final Path REPOSITORY = Path.of("..").toAbsolutePath().normalize();
    private static final Set<String> KINDS = Set.of("java", "md", "yaml", "yml", "xml", "proto");
    private static final Set<String> NOT_OURS = Set.of("target", "node_modules");

    @TempDir
    Path root;

    @BeforeEach
    void write() throws IOException {
        Files.createDirectories(root.resolve("docs/spec"));
        Files.writeString(root.resolve("docs/spec/decisions.md"), """
                # Decisions

                ## 2. One destination

                As section 2a says.

                ### 2a. TLS

                1. Keys.
                2. Leaves.

                ```
                ## 3. No heading, but code
                ```
                """);
        Files.writeString(root.resolve("docs/spec/proxy-config.md"), "# Proxy\n\n#### hmac_sign\n");
        Files.writeString(root.resolve("docs/cli.md"), "# The command line\n\n## Exit codes\n");
    }

    @Test
    @Tag("long")
    void every_citation_of_the_repository_resolves() throws IOException {
        Citations citations = new Citations(REPOSITORY);
        List<String> faults = new ArrayList<>();
        List<String> names = files();

        for (String name : names) {
            faults.addAll(citations.faults(name, Files.readString(REPOSITORY.resolve(name))));
        }

        assertThat(faults).isEmpty();
        assertThat(names).contains("README.md", "docs/spec/decisions.md", "server/src/dist/conf/proxy.yaml");
    }

    @Test
    void what_is_there_resolves() throws IOException {
        assertThat(java("""
                /** docs/spec/decisions.md, section 2: one; docs/spec/decisions.md, sections 2 and 2a, rule 2, and so on. */
                /**
                 * Broken (docs/spec/decisions.md,
                 * section 2a, laws 1 and 2), as in docs/cli.md, and by name: docs/spec/proxy-config.md, section "hmac_sign".
                 * Somebody else's: RFC 9113, section 6.9.
                 */
                """)).isEmpty();
        assertThat(new Citations(root).faults("a.yaml", "# docs/spec/decisions.md,\n#  section 2\n"))
                .isEmpty();
        assertThat(markdown("[codes](docs/cli.md#exit-codes), [web](https://example.com/none.md)"))
                .isEmpty();
    }

    @Test
    void a_section_that_is_not_there_is_found() throws IOException {
        assertThat(java("one\n/** docs/spec/decisions.md, sections 2 and 99. */"))
                .containsExactly("A.java:2: docs/spec/decisions.md: no section 99");
        assertThat(java("/** docs/spec/proxy-config.md, section \"hmac\". */"))
                .containsExactly("A.java:1: docs/spec/proxy-config.md: no section hmac");
        assertThat(java("/** docs/spec/decisions.md, section 3. */"))
                .as("code is no heading")
                .containsExactly("A.java:1: docs/spec/decisions.md: no section 3");
        assertThat(java("/**\n * docs/spec/decisions.md,\n * section 2a, rule 3.\n */"))
                .containsExactly("A.java:2: docs/spec/decisions.md, section 2a: no point 3");
    }

    @Test
    void a_page_that_is_not_there_is_found() throws IOException {
        assertThat(java("/** docs/spec/choices.md, section 2. */"))
                .containsExactly("A.java:1: docs/spec/choices.md: no such page", "A.java:1: section 2: of which page?");
        assertThat(markdown("[a](docs/none.md) [b](docs/cli.md#none)"))
                .containsExactly(
                        "README.md:1: docs/none.md: no such file", "README.md:1: docs/cli.md#none: no such heading");
    }

    @Test
    void another_form_than_the_one_is_found() throws IOException {
        assertThat(java("/** (decisions, section 2) */")).hasSize(2);
        assertThat(java("/** {@code proxy-config.md}, hmac_sign */")).hasSize(1);
        assertThat(java("/** DESIGN 4, rule 7 */")).hasSize(1);
        assertThat(java("// law 1")).containsExactly("A.java:1: law 1: of which page?");
        assertThat(java("/** docs/spec/decisions.md says so. */"))
                .containsExactly("A.java:1: docs/spec/decisions.md: no section"
                        + " (expected: such as docs/spec/decisions.md, section 6)");
    }

    @Test
    void a_page_of_the_specification_cites_itself_by_number() throws IOException {
        Citations citations = new Citations(root);

        assertThat(citations.faults("docs/spec/decisions.md", "As sections 2 and 2a say."))
                .isEmpty();
        assertThat(citations.faults("docs/spec/decisions.md", "As section 7 says."))
                .containsExactly("docs/spec/decisions.md:1: docs/spec/decisions.md: no section 7");
        assertThat(citations.faults("docs/cli.md", "As section 2 says."))
                .containsExactly("docs/cli.md:1: section 2: of which page?");
    }

    private List<String> java(String text) throws IOException {
        return new Citations(root).faults("A.java", text);
    }

    private List<String> markdown(String text) throws IOException {
        return new Citations(root).faults("README.md", text);
    }

    /** All that may cite, but for this class and the one that it tests, which show what is no citation. */
    static List<String> files() throws IOException {
        List<String> files = new ArrayList<>();
        Files.walkFileTree(REPOSITORY, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                String name = folder.getFileName().toString();
                boolean skipped = !folder.equals(REPOSITORY) && (name.startsWith(".") || NOT_OURS.contains(name));
                return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                String name = file.getFileName().toString();
                if (KINDS.contains(name.substring(name.lastIndexOf('.') + 1)) && !name.startsWith("Citations")) {
                    files.add(REPOSITORY.relativize(file).toString().replace('\\', '/'));
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return files;
    }
}
