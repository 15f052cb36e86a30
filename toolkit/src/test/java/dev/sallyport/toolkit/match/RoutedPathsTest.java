package dev.sallyport.toolkit.match;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.RuleSet;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever spelling of a path reaches the handler at {@code /mcp} in one of the usual routers is judged. */
class RoutedPathsTest {

    private static final Destination HOST = Destinations.parse("api.example.com", 443, true);

    /** How servers find the handler of a path, after decoding it. */
    @SuppressWarnings("ImmutableEnumChecker") // lambdas without state
    enum Router {
        /** Routes are expressions that end in {@code $}, which also matches before a final line feed. */
        STARLETTE(path -> Pattern.compile("^/mcp$").matcher(path).find()),
        /** A mounted application handles all that is below. */
        STARLETTE_MOUNT(path -> Pattern.compile("^/mcp/.*$", Pattern.DOTALL)
                .matcher(path.endsWith("/") ? path : path + "/")
                .find()),
        /** Case is ignored, and a trailing slash is optional. */
        EXPRESS(path -> Pattern.compile("^/mcp/?$", Pattern.CASE_INSENSITIVE)
                .matcher(path)
                .find()),
        /** A format may follow; slashes are collapsed. */
        RAILS(path -> Pattern.compile("^/mcp(\\.[^./?]+)?/?$", Pattern.MULTILINE)
                .matcher(path.replaceAll("/+", "/"))
                .find()),
        /** Suffix patterns of Spring: {@code /mcp.*} and a trailing slash are the same handler. */
        SPRING(path -> Pattern.compile("^/mcp(\\.[^/]*)?/?$")
                .matcher(path.replaceAll(";[^/]*", "").replaceAll("/+", "/"))
                .find()),
        /** {@code ^} and {@code $} of Ruby match at every line. */
        RACK(path ->
                Pattern.compile("\\A/mcp$", Pattern.MULTILINE).matcher(path).find()),
        /** Parameters of segments are removed, the servlet's own path is a prefix. */
        SERVLET(path -> {
            String plain = path.replaceAll(";[^/]*", "").replaceAll("/+", "/");
            return plain.equals("/mcp") || plain.startsWith("/mcp/");
        }),
        /** A file system that ignores case, and blanks and dots at the end of a name. */
        IIS(path -> {
            String plain = path.toLowerCase(Locale.ROOT).replaceAll("[. ]+(?=/|$)", "");
            return plain.equals("/mcp") || plain.startsWith("/mcp/");
        }),
        /** A URL that is parsed once more after it was decoded. */
        REPARSING(path -> path.replaceAll("[?#].*", "").strip().equals("/mcp")),
        /** Texts are normalized, and what has no width is removed. */
        NORMALIZING(path -> path.replaceAll("[\\p{Cf}\\p{Cc}\\p{Z}]", "").equalsIgnoreCase("/mcp"));

        private final Predicate<String> reaches;

        Router(Predicate<String> reaches) {
            this.reaches = reaches;
        }
    }

    @ParameterizedTest
    @EnumSource
    void noneThatReachesTheHandlerIsUnjudged(Router router) throws Exception {
        RuleSet rules = CompiledRules.loose(List.of(Rule.host("api.example.com").withPaths("/mcp")));
        List<String> reaching = new ArrayList<>();
        List<String> unjudged = new ArrayList<>();
        for (String raw : spellings()) {
            String path = Paths.decode(raw);
            if (router.reaches.test(path)) {
                reaching.add(raw);
                if (rules.match(HOST, "POST", path) != 0) {
                    unjudged.add(raw);
                }
            }
        }

        assertThat(reaching).as("spellings that reach the handler").hasSizeGreaterThan(1);
        assertThat(unjudged).isEmpty();
    }

    /** What may stand before, within and behind the name, in all combinations: more than 500. */
    private static Set<String> spellings() {
        List<String> before = List.of("/", "//", "/;a/", "/%20", "/%E2%80%8B");
        List<String> names = List.of("mcp", "MCP", "mCp", "%6dcp", "m%E2%80%8Bcp", "mcp;v=1");
        List<String> behind = List.of(
                "",
                "/",
                "//",
                "/x",
                "/x/y",
                "%0a",
                "%0d%0a",
                "%20",
                "%09",
                "%C2%A0",
                ".",
                "..",
                "~",
                ".json",
                ".a.b",
                "~.json",
                ".json~",
                "./x",
                "%0ax",
                "%0d%0ax/y",
                ";",
                ";a=b",
                ";/",
                "%3Bx",
                "%23",
                "%23x",
                "%3F",
                "%3Fx=1",
                "%E2%80%8B",
                "%E2%80%8E",
                "/%0a",
                ".json/",
                "./",
                "%20/",
                "%0a/x");
        Set<String> all = new LinkedHashSet<>();
        before.forEach(first -> names.forEach(name -> behind.forEach(last -> all.add(first + name + last))));
        assertThat(all.size()).isGreaterThan(500);
        return all;
    }
}
