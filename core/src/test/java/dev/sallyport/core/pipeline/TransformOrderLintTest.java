package dev.sallyport.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.config.Location;
import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.Descriptor;
import dev.sallyport.spi.Effect;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.Part;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.Transform;
import dev.sallyport.spi.TransformFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** docs/design.md, section 3: orders that probably do not do what was meant. */
class TransformOrderLintTest {

    private record Given(String name, Capabilities capabilities, boolean section)
            implements TransformFactory<Given.Config> {

        Given(String name, Capabilities capabilities) {
            this(name, capabilities, false);
        }

        Given inSection() {
            return new Given(name, capabilities, true);
        }

        record Config(String name) {}

        @Override
        public Descriptor<Config> descriptor() {
            String summary = "Given by a test.";
            return section
                    ? Descriptor.section(name, Config.class, summary)
                    : Descriptor.of(name, Config.class, summary);
        }

        @Override
        public Capabilities capabilities(Config config) {
            return capabilities;
        }

        @Override
        public Transform create(Config config, BuildContext context) {
            return (InlineTransform) request -> Decision.proceed();
        }
    }

    private static final Given HEADER_INJECTOR = injector(Part.REQUEST_HEADERS);
    private static final Given BODY_INJECTOR = injector(Part.REQUEST_BODY);
    private static final Given SIGNER = new Given(
            "signer",
            Capabilities.builder()
                    .writes(Part.REQUEST_HEADERS)
                    .effects(Effect.SIGNS)
                    .build());
    private static final Given STRIPPER = new Given(
            "stripper",
            Capabilities.builder()
                    .writes(Part.REQUEST_HEADERS, Part.REQUEST_TRAILERS)
                    .effects(Effect.STRIPS_UNKNOWN)
                    .build());
    private static final Given REWRITER = new Given(
            "rewriter", Capabilities.builder().writes(Part.REQUEST_BODY).build());

    private static Given injector(Part... parts) {
        return new Given(
                "injector",
                Capabilities.builder()
                        .writes(parts)
                        .effects(Effect.INJECTS_CREDENTIAL)
                        .build());
    }

    private static Given discloser(Part... parts) {
        return new Given("discloser", Capabilities.builder().discloses(parts).build());
    }

    private static List<String> warnings(Given... list) {
        List<TransformEntry<?>> entries = new ArrayList<>();
        for (Given given : list) {
            entries.add(entry(given, "/transforms/" + entries.size() + "/config"));
        }
        return TransformOrderLint.check(entries).stream()
                .map(TransformOrderLint.Warning::text)
                .toList();
    }

    private static TransformEntry<?> entry(Given given, String pointer) {
        return new TransformEntry<>(given, new Given.Config(given.name()), new Location("test", 1, 1), pointer);
    }

    @Test
    void whatIsShownAfterCredentialsWerePutThereIsTold() {
        assertThat(warnings(BODY_INJECTOR, STRIPPER, discloser(Part.REQUEST_BODY)))
                .containsExactly(
                        "transforms[2] (discloser) sees the request body after transforms[0] (injector) has put"
                                + " credentials in; they are masked; exchange the two entries");
        assertThat(warnings(
                        injector(Part.REQUEST_BODY, Part.QUERY), discloser(Part.REQUEST_BODY, Part.REQUEST_HEADERS)))
                .containsExactly(
                        "transforms[1] (discloser) sees the request headers and request body after transforms[0]"
                                + " (injector) has put credentials in; they are masked; exchange the two entries");
    }

    @Test
    void disclosureOfAllThatIsSeenIsToldWhateverWasWritten() {
        Given undeclared = new Given(
                "discloser",
                Capabilities.builder().effects(Effect.DISCLOSES_CONTENT).build());

        assertThat(warnings(HEADER_INJECTOR, undeclared))
                .containsExactly("transforms[1] (discloser) sees requests after transforms[0] (injector) has put"
                        + " credentials in; they are masked; exchange the two entries");
    }

    @Test
    void disclosureThatTheOperatorAskedForIsToldToo() {
        Given open = new Given(
                "discloser",
                Capabilities.builder()
                        .discloses(Part.REQUEST_BODY)
                        .seesCredentials()
                        .build());

        assertThat(warnings(BODY_INJECTOR, open))
                .containsExactly("transforms[1] (discloser) discloses the credentials that transforms[0] (injector) has"
                        + " put into the request body; exchange the two entries");
    }

    @Test
    void disclosureOfAPartWithoutCredentialsIsNoFault() {
        assertThat(warnings(HEADER_INJECTOR, discloser(Part.REQUEST_BODY))).isEmpty();
        assertThat(warnings(discloser(Part.REQUEST_BODY), BODY_INJECTOR)).isEmpty();
    }

    @Test
    void destinationsThatCannotMeetAreNoFault() {
        Given here = new Given(
                "injector",
                Capabilities.builder()
                        .scope(List.of(Rule.host("a.test")))
                        .writes(Part.REQUEST_BODY)
                        .effects(Effect.INJECTS_CREDENTIAL)
                        .build());
        Given there = new Given(
                "discloser",
                Capabilities.builder()
                        .scope(List.of(Rule.host("b.test")))
                        .discloses(Part.REQUEST_BODY)
                        .build());

        assertThat(warnings(here, there)).isEmpty();
    }

    @Test
    void headersThatComeBehindAStripperAreTold() {
        assertThat(warnings(STRIPPER, HEADER_INJECTOR))
                .containsExactly("transforms[1] (injector) adds what transforms[0] (stripper) no longer strips;"
                        + " headers added here are not checked; exchange the two entries");
        assertThat(warnings(STRIPPER, BODY_INJECTOR)).isEmpty();
        assertThat(warnings(HEADER_INJECTOR, STRIPPER)).isEmpty();
    }

    @Test
    void writesBehindASignatureAreToldAndAStripperBelongsThere() {
        assertThat(warnings(SIGNER, REWRITER))
                .containsExactly("transforms[1] (rewriter) may change what transforms[0] (signer) has signed,"
                        + " which breaks the signature; exchange the two entries");
        assertThat(warnings(SIGNER, STRIPPER)).isEmpty();
    }

    @Test
    void aSectionHasNoPlaceInTheListAndIsExchangedWithNothing() {
        List<TransformOrderLint.Warning> warnings = TransformOrderLint.check(
                List.of(entry(SIGNER, "/transforms/0/config"), entry(REWRITER.inSection(), "/rewriter")));

        assertThat(warnings)
                .singleElement()
                .returns(
                        "rewriter may change what transforms[0] (signer) has signed, which breaks the signature;"
                                + " let the two have hosts of their own, if they can",
                        TransformOrderLint.Warning::text)
                .returns(false, TransformOrderLint.Warning::avoidable);
    }

    @Test
    void whatASectionDoesNotSeeIsToldByItsName() {
        Rule host = Rule.host("api.test");
        Given narrow = restricting(host.withPaths("/mcp"));

        assertThat(TransformOrderLint.check(
                        List.of(entry(gate(host), "/transforms/0/config"), entry(narrow.inSection(), "/restricting"))))
                .singleElement()
                .matches(TransformOrderLint.Warning::avoidable)
                .extracting(TransformOrderLint.Warning::text)
                .asString()
                .startsWith("restricting looks at less of api.test than transforms[0] (gate) lets through");
    }

    private static Given gate(Rule... admits) {
        return new Given("gate", Capabilities.builder().admits(List.of(admits)).build());
    }

    private static Given restricting(Rule... rules) {
        return new Given(
                "restricting",
                Capabilities.builder().scope(List.of(rules)).restricts().build());
    }

    @Test
    void aGateThatLetsMoreOfAHostThroughThanIsLookedAtIsTold() {
        Rule host = Rule.host("api.test");
        assertThat(warnings(gate(Rule.host("*.test")), restricting(host.withPaths("/mcp"))))
                .containsExactly("transforms[1] (restricting) looks at less of api.test than transforms[0] (gate) lets"
                        + " through: paths other than /mcp and below pass unseen; leave paths, methods and ports out of"
                        + " its rules, or let in by rules of their own what may pass unseen");
        assertThat(warnings(restricting(host.withMethods("POST")), gate(host))).hasSize(1);
        assertThat(warnings(
                        gate(Rule.cidr("10.0.0.0/8")),
                        restricting(Rule.cidr("10.1.0.0/16").withPorts(443))))
                .hasSize(1);
    }

    /** The operator learns which requests these are. */
    @Test
    void whatPassesUnseenIsNamed() {
        Rule host = Rule.host("api.test");
        Rule exact = Rule.builder()
                .host("api.test")
                .paths(List.of("/mcp"))
                .exact(true)
                .build();
        assertUnseen("paths other than /mcp", gate(host), restricting(exact));
        assertUnseen(
                "methods other than POST, PUT, or paths other than /a/*, /mcp and below",
                gate(host),
                restricting(
                        host.withMethods("post").withPaths("/mcp"),
                        host.withMethods("PUT").withPaths("/a/*")));
        assertUnseen("ports other than 443", gate(host), restricting(host.withPorts(443)));
        assertUnseen("schemes other than https", gate(host), restricting(host.withScheme(Rule.Scheme.HTTPS)));
        assertUnseen("/docs", gate(host.withPaths("/mcp", "/docs")), restricting(host.withPaths("/mcp")));
        assertUnseen(
                "GET",
                gate(host.withMethods("GET", "POST")),
                restricting(host.withMethods("POST").withPaths("/*")));
    }

    private static void assertUnseen(String requests, Given... list) {
        assertThat(warnings(list)).singleElement().asString().contains(" through: " + requests + " pass unseen;");
    }

    @Test
    void withoutAGateWhatPassesUnseenIsNamedToo() {
        Rule host = Rule.host("api.test");
        assertThat(warnings(restricting(host.withPaths("/mcp"))))
                .containsExactly("transforms[0] (restricting) does not look at all requests of api.test, and nothing"
                        + " refuses the others: paths other than /mcp and below pass unseen; leave paths, methods and"
                        + " ports out of its rules");
        assertThat(warnings(restricting(host))).isEmpty();
        assertThat(warnings(restricting(host.withPaths("/mcp"), host))).isEmpty();
        assertThat(warnings(new Given("custom", Capabilities.none()), restricting(host.withPaths("/mcp"))))
                .isEmpty();
    }

    @Test
    void aGateThatLetsNothingElseOfAHostThroughIsNoFault() {
        Rule host = Rule.host("api.test");
        assertThat(warnings(gate(Rule.host("*")), restricting(host))).isEmpty();
        assertThat(warnings(gate(host.withPaths("/mcp")), restricting(host.withPaths("/mcp"))))
                .isEmpty();
        assertThat(warnings(gate(host.withPaths("/MCP/")), restricting(host.withPaths("/mcp"))))
                .isEmpty();
        assertThat(warnings(gate(Rule.host("b.test")), restricting(host.withPaths("/mcp"))))
                .isEmpty();
    }

    /** The operator has said that these may pass. */
    @Test
    void whatIsLetInByARuleOfItsOwnIsNoFault() {
        Rule host = Rule.host("api.test");
        assertThat(warnings(
                        gate(host.withPaths("/mcp"), host.withPaths("/docs/*")), restricting(host.withPaths("/mcp"))))
                .isEmpty();
        assertThat(warnings(
                        gate(host.withMethods("POST"), host.withMethods("GET")), restricting(host.withMethods("POST"))))
                .isEmpty();
    }

    private static boolean limits(Given... list) {
        List<TransformEntry<?>> entries = new ArrayList<>();
        for (Given given : list) {
            entries.add(new TransformEntry<>(
                    given, new Given.Config(given.name()), new Location("test", 1, 1), "/transforms/0"));
        }
        return TransformOrderLint.limits(entries);
    }

    @Test
    void aPipelineInWhichNothingCanRefuseLimitsNothing() {
        Given watching = new Given("watching", Capabilities.builder().observer().build());

        assertThat(limits()).isFalse();
        assertThat(limits(HEADER_INJECTOR, SIGNER, STRIPPER, watching)).isFalse();
        assertThat(limits(gate(Rule.host("*")))).isFalse();
        assertThat(limits(restricting(Rule.host("api.test")))).isFalse();

        assertThat(limits(gate(Rule.host("api.test")))).isTrue();
        assertThat(limits(gate())).isTrue();
        assertThat(limits(gate(Rule.host("*").withPorts(443)))).isTrue();
        assertThat(limits(restricting(Rule.host("*")))).isTrue();
        assertThat(limits(new Given("custom", Capabilities.none()))).isTrue();
    }
}
