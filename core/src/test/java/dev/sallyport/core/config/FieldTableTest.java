package dev.sallyport.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class FieldTableTest {

    private static final Path GUIDE = Path.of("..", "docs", "configuration.md");
    private static final Pattern TABLE = Pattern.compile("(?s)(<!-- table: (\\w+) -->\n).*?(<!-- end -->)");

    @Test
    void aTableShowsTypeDefaultAndMeaning() {
        assertThat(FieldTable.markdown(Plugins.Gate.class)).isEqualTo("""
                        | Field | Type | Default | Meaning |
                        |---|---|---|---|
                        | `domains` | string[] | `[]` | Host globs. |
                        | `rules` | rule[] | `[]` | Rules. |
                        | `warn` | boolean | `false` | Log \\| do not block. |
                        """);
    }

    @Test
    void recordsInsideHaveDottedNames() {
        assertThat(FieldTable.markdown(Plugins.Mcp.class)).isEqualTo("""
                        | Field | Type | Default | Meaning |
                        |---|---|---|---|
                        | `error.code` | integer | `-32001` |  |
                        | `error.message` | string | `blocked` |  |
                        | `servers` | object[] | `[]` |  |
                        | `servers[].name` | string | required |  |
                        | `servers[].rules` | rule[] | `[]` |  |
                        """);
    }

    @Test
    void everyKindHasAName() {
        assertThat(FieldTable.markdown(Plugins.Probe.class))
                .contains("| `count` | integer | `3` |  1 to 9. |")
                .contains("| `renamed-key` | `red`, `blue`, `dark-green`[] | `red`, `blue` |")
                .contains("| `token` | secret source |  |")
                .contains("| `credentials` | map of secret source |")
                .contains("| `equals` | any |  |")
                .contains("| `breaker.cooldown` | duration | `10s` |");
    }

    /** With {@code -Dsallyport.docs.update=true} the guide is brought up to date instead. */
    @Test
    void theGuideShowsTheFieldsThatThereAre() throws IOException {
        String guide = Files.readString(GUIDE);
        Matcher tables = TABLE.matcher(guide);
        String updated = tables.replaceAll(table -> Matcher.quoteReplacement(
                table.group(1) + FieldTable.markdown(section(table.group(2))) + table.group(3)));
        if (Boolean.getBoolean("sallyport.docs.update")) {
            Files.writeString(GUIDE, updated);
        } else {
            assertThat(guide).isEqualTo(updated);
        }
        assertThat(TABLE.matcher(guide).results().map(table -> table.group(2)))
                .containsExactly("dns", "proxy", "tls", "management", "metrics", "log");
    }

    private static Class<? extends Record> section(String name) {
        return switch (name) {
            case "dns" -> DnsSection.class;
            case "proxy" -> ProxySection.class;
            case "tls" -> TlsSection.class;
            case "management" -> ManagementSection.class;
            case "metrics" -> MetricsSection.class;
            case "log" -> LogSection.class;
            default -> throw new AssertionError("no section " + name);
        };
    }
}
