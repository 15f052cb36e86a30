package dev.sallyport.toolkit.match;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.RuleSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules of transforms that restrict: no spelling of a path that some origin takes for the same one passes them. */
class LooseRulesTest {

    private static final Destination HOST = Destinations.parse("api.example.com", 443, true);

    private static CompiledRules loose(String... paths) throws Exception {
        return CompiledRules.loose(List.of(Rule.host("api.example.com").withPaths(paths)));
    }

    private static int match(RuleSet rules, String rawPath) {
        return rules.match(HOST, "POST", Paths.decode(rawPath));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/mcp",
                "/MCP",
                "/mCp",
                "/mcp/",
                "/MCP//",
                "//mcp",
                "///Mcp///",
                "/mcp;jsessionid=1",
                "/mcp;/",
                "/;v=1/mcp",
                "/;/;/MCP;a=b;c/;d",
                "/%6dcp",
                "/%4D%43%50/",
                "/mcp%3Bx",
                "/mcp%2F",
                "/mcp%0a",
                "/mcp%20",
                "/%09mcp",
                "/mcp%0d%0a",
                "/mcp%23",
                "/mcp%3F",
                "/mcp%23/x",
                "/mcp%E2%80%8B",
                "/m%E2%80%8Fcp",
                "/mcp%EF%BB%BF",
                "/mcp%C2%A0",
                "/mcp.json",
                "/mcp.JSON/",
                "/mcp/.json",
                "/mcp.json;v=1",
                "/mcp.",
                "/mcp~",
                "/MCP~./",
                "/mcp.json%0A",
                "/%256dcp",
                "/mcp%250a",
                "/mcp%252Fx",
                "/mcp.a.b",
                "/mcp~.json",
                "/mcp.json~",
                "/mcp./x",
                "/mcp~/x",
                "/mcp%0Ax",
                "/mcp%0D%0Ax/y",
                "/mcp/x",
                "/MCP/x/y.z",
                "//mcp//x"
            })
    void noSpellingPasses(String path) throws Exception {
        assertThat(match(loose("/mcp"), path)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/mc", "/mcpx", "/x/mcp", "/m/cp", "/;mcp", "//", "/mcp-json", "/json.mcp", "/.mcp"})
    void otherPathsAreOther(String path) throws Exception {
        assertThat(match(loose("/mcp"), path)).isEqualTo(RuleSet.NO_MATCH);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/MCP", "/mcp/", "/mcp/x", "/mcp%0a", "/mcp.json", "//mcp"})
    void anExactRuleMatchesAsItStands(String path) throws Exception {
        RuleSet exact = CompiledRules.loose(List.of(Rule.builder()
                .host("api.example.com")
                .paths(List.of("/mcp"))
                .exact(true)
                .build()));

        assertThat(match(exact, path)).isEqualTo(RuleSet.NO_MATCH);
        assertThat(match(exact, "/mcp")).isZero();
    }

    /** A wildcard says how far a pattern reaches. */
    @Test
    void aPatternWithAWildcardDoesNotCoverWhatIsBelow() throws Exception {
        assertThat(match(loose("/v1/*/mcp"), "/v1/x/mcp")).isZero();
        assertThat(match(loose("/v1/*/mcp"), "/V1/x/mcp.json/")).isZero();
        assertThat(match(loose("/v1/*/mcp"), "/v1/x/mcp/y")).isEqualTo(RuleSet.NO_MATCH);
    }

    @Test
    void theRootCoversEverything() throws Exception {
        assertThat(match(loose("/"), "/any/thing")).isZero();
    }

    /** Letters that some origin folds to ASCII, or to one another. */
    @ParameterizedTest
    @CsvSource({
        "/stock, /%C5%BFtoc%E2%84%AA", // long s, Kelvin sign
        "/file, /F%C4%B0LE", // capital I with dot
        "/file, /f%C4%B1le", // dotless i
        "/strasse, /stra%C3%9Fe", // sharp s
        "/strasse, /STRA%E1%BA%9EE", // capital sharp s
        "/stra\u00dfe, /STRASSE",
        "/\u03c3, /%CF%82", // final sigma
        "/\u00c4, /%C3%A4"
    })
    void caseIsFoldedAsUnicodeSays(String pattern, String path) throws Exception {
        assertThat(match(loose(pattern), path)).isZero();
    }

    /** The pattern may be spelled in a way that folding changes: then the plain path is a variant of it. */
    @ParameterizedTest
    @CsvSource({
        "/MCP, /mcp",
        "/mcp/, /mcp",
        "//mcp, /mcp",
        "/mcp;v=1, /mcp",
        "/Api/*, /api/x",
        "/a//b, /A/b",
        "/a/*/b//c, /a//b//c",
        "/a;*/b, /a;x/b"
    })
    void patternsAreFoldedToo(String pattern, String path) throws Exception {
        assertThat(match(loose(pattern), path)).isZero();
    }

    /** An origin need not do all of it: one may fold case and take a parameter for part of the name. */
    @ParameterizedTest
    @CsvSource({
        "/files/*.exe, /FILES/a;b.exe",
        "/files/*.exe, /files//a;b.exe",
        "/files/*/x, /FILES//x;y",
        "/v1/*, /V1",
        "/v1/*, //v1//",
        "/, //",
        "/, /;x"
    })
    void eachReadingCounts(String pattern, String path) throws Exception {
        assertThat(match(loose(pattern), path)).isZero();
    }

    /** What the operator put first decides, whatever reading it is that matches. */
    @Test
    void theFirstRuleInAnyReadingDecides() throws Exception {
        RuleSet rules = CompiledRules.loose(List.of(
                Rule.host("api.example.com").withPaths("/mcp"),
                Rule.host("api.example.com").withPaths("/*")));

        assertThat(match(rules, "/MCP/")).isZero();
        assertThat(match(rules, "/other")).isEqualTo(1);
    }

    @Test
    void hostMethodAndPortAreComparedAsAlways() throws Exception {
        RuleSet rules = CompiledRules.loose(List.of(Rule.host("api.example.com")
                .withPaths("/mcp")
                .withMethods("POST")
                .withPorts(443)));

        assertThat(rules.match(HOST, "POST", "/MCP")).isZero();
        assertThat(rules.match(HOST, "GET", "/MCP")).isEqualTo(RuleSet.NO_MATCH);
        assertThat(rules.match(Destinations.parse("api.example.com", 444, true), "POST", "/MCP"))
                .isEqualTo(RuleSet.NO_MATCH);
        assertThat(rules.match(Destinations.parse("b.example.com", 443, true), "POST", "/MCP"))
                .isEqualTo(RuleSet.NO_MATCH);
        assertThat(rules.match(HOST, "", "")).isEqualTo(RuleSet.NO_MATCH);
    }

    /** An origin that leaves an encoded slash as it is would see another path than one that decodes it. */
    @Test
    void anEncodedSlashThatDecidesIsAmbiguous() throws Exception {
        assertThat(loose("/v1/*/mcp").ambiguous(HOST, "POST", "/v1/x%2Fmcp")).isTrue();
        assertThat(loose("/v1/*/mcp").ambiguous(HOST, "POST", "/V1/x%2fMCP")).isTrue();
        assertThat(loose("/mcp").ambiguous(HOST, "POST", "/x%2Fy")).isFalse();
    }

    /** What is below a path is inside its rule in either reading, and so is judged. */
    @Test
    void anEncodedSlashBelowAPathDecidesNothing() throws Exception {
        for (String path : Arrays.asList("/mcp%2F", "/MCP%2fx", "/mcp%2Fx%2Fy")) {
            assertThat(loose("/mcp").ambiguous(HOST, "POST", path)).as(path).isFalse();
            assertThat(match(loose("/mcp"), path)).as(path).isZero();
        }
    }

    @Test
    void rulesThatGrantMatchLiterally() throws Exception {
        RuleSet granting = CompiledRules.of(List.of(Rule.host("api.example.com").withPaths("/mcp")));

        for (String path : Arrays.asList("/MCP", "/mcp/", "/mcp;x", "//mcp")) {
            assertThat(match(granting, path)).as(path).isEqualTo(RuleSet.NO_MATCH);
        }
    }

    /** An exact rule for another host keeps the rules as they were written from being left out. */
    @Test
    void loosenedRulesAloneDecideAsTheyDoWithThoseThatWereWritten() throws Exception {
        Random random = new Random(27);
        List<String> parts = List.of("/", "a", "B", "b", "*", ".", "~", ";", "%20", "%2e", "//", "/*", "c.d");
        List<String> asked = List.of("/", "a", "b", "B", "c.d", ".", "~", "x", "/a", "/b");
        int matched = 0;
        for (int i = 0; i < 20_000; i++) {
            List<Rule> rules = new ArrayList<>();
            for (int rule = 0; rule < 3; rule++) {
                String pattern = "/" + some(parts, random);
                Rule one = Rule.host("api.example.com").withPaths(pattern);
                FirstProblem problem = new FirstProblem();
                CompiledRules.check(List.of(one), problem, "/rules");
                if (problem.problem == null) {
                    rules.add(one);
                }
            }
            CompiledRules alone = CompiledRules.loose(rules);
            rules.add(Rule.builder().host("other.example.com").exact(true).build());
            CompiledRules both = CompiledRules.loose(rules);
            String path = "/" + some(asked, random);
            int position = match(both, path);
            matched += position == RuleSet.NO_MATCH ? 0 : 1;
            assertThat(match(alone, path)).as("%s among %s", path, rules).isEqualTo(position);
        }
        assertThat(matched).isBetween(2_000, 18_000);
    }

    private static String some(List<String> parts, Random random) {
        return random.ints(random.nextInt(5), 0, parts.size())
                .mapToObj(parts::get)
                .collect(Collectors.joining());
    }
}
