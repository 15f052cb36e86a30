package dev.sallyport.core.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.audit.AuditRecord.Action;
import dev.sallyport.core.audit.ObservedEgress.Protocol;
import dev.sallyport.core.audit.ObservedEgress.Replacement;
import dev.sallyport.core.exchange.LocalSite;
import dev.sallyport.spi.GateVerdict;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** docs/spec/decisions.md, section 15: what audit events say, from the records of exchanges. */
class ObservedEgressTest {

    private static final String GATE = "allowlist";

    private static MutableAuditRecord record() {
        return new MutableAuditRecord("x", 1_700_000_000_000L)
                .host("api.example.com")
                .method("GET")
                .protocol("http/1.1")
                .workload("w");
    }

    private static @Nullable GateVerdict verdict(String text) {
        return switch (text) {
            case "allowed" -> GateVerdict.allowed(false, null);
            case "denied" -> GateVerdict.denied(false);
            case "warn allowed" -> GateVerdict.allowed(true, null);
            case "warn denied" -> GateVerdict.denied(true);
            default -> null;
        };
    }

    private static ObservedEgress of(MutableAuditRecord record) {
        ObservedEgress seen = ObservedEgress.of(record);
        assertThat(seen).isNotNull();
        return seen;
    }

    @ParameterizedTest
    @CsvSource({
        // verdict, action, denied, allowed, warns
        "allowed, ALLOW, false, true, false",
        "allowed, STUB, false, true, false",
        "allowed, REJECT, false, false, false", // by something after the gate
        "allowed, ERROR, false, true, false", // the origin failed
        "allowed, CLIENT_CANCEL, false, true, false",
        "denied, REJECT, true, false, false",
        "warn allowed, ALLOW, false, true, true",
        "warn denied, ALLOW, true, true, true",
        "warn denied, REJECT, true, false, true",
        "none, REJECT, true, false, false", // no destination that policy could judge
        "none, ALLOW, false, true, false", // a pipeline without a gate
        "none, ERROR, true, false, false", // no policy is in force
        "none, CLIENT_CANCEL, false, false, false",
    })
    void verdictAndOutcomeAreSeparate(String verdict, Action action, boolean denied, boolean allowed, boolean warns) {
        MutableAuditRecord record = record().action(action);
        GateVerdict said = verdict(verdict);
        if (said != null) {
            record.verdict(GATE, said);
        }

        ObservedEgress seen = of(record);

        assertThat(seen.denied()).isEqualTo(denied);
        assertThat(seen.allowed()).isEqualTo(allowed);
        assertThat(seen.warns()).isEqualTo(warns);
        assertThat(seen.millis()).isEqualTo(1_700_000_000_000L);
        assertThat(seen.workload()).isEqualTo("w");
        assertThat(seen.host()).isEqualTo("api.example.com");
    }

    @Test
    void whatATransformFailedToJudgeWasNotLetThrough() {
        MutableAuditRecord record = record().action(Action.ERROR).verdict(GATE, GateVerdict.allowed(false, null));
        record.requestTrace("judge").action("error");

        assertThat(of(record).allowed()).isFalse();
    }

    @Test
    void whatTheDialGuardRefusedWasNotLetThrough() {
        MutableAuditRecord record = record().action(Action.ERROR)
                .verdict(GATE, GateVerdict.allowed(false, null))
                .error("upstream_denied: a.test:80: 127.0.0.1 is in 127.0.0.0/8 of proxy.upstream_deny_cidrs");

        assertThat(of(record).denied()).isFalse();
        assertThat(of(record).allowed()).isFalse();
        assertThat(of(record).dial()).isEqualTo(ObservedEgress.Dial.FAILED);
    }

    @ParameterizedTest
    @CsvSource({
        // action, error, connected, dial
        "ALLOW, , true, CONNECTED",
        "ERROR, upstream_timeout: no answer, true, CONNECTED",
        "CLIENT_CANCEL, , true, CONNECTED",
        "ERROR, upstream_unreachable: refused, false, FAILED",
        "ERROR, upstream_tls_error: not trusted, false, FAILED",
        "REJECT, upstream_unreachable, false, ",
        "ERROR, transform_failed: judge, false, ",
        "ERROR, overloaded: no room, false, ",
        "CLIENT_CANCEL, , false, ",
        "STUB, , false, ",
    })
    void whatBecameOfTheDialIsToldApart(
            Action action, @Nullable String error, boolean connected, ObservedEgress.@Nullable Dial dial) {
        MutableAuditRecord direct = record().action(action).verdict(GATE, GateVerdict.allowed(false, null));
        MutableAuditRecord throughParent = record().action(action).verdict(GATE, GateVerdict.allowed(false, null));
        if (error != null) {
            direct.error(error);
            throughParent.error(error);
        }
        if (connected) {
            direct.upstreamAddr(new InetSocketAddress(InetAddress.getLoopbackAddress(), 80));
            throughParent.via("http://parent:3128", true);
        }

        assertThat(of(direct).dial()).isEqualTo(dial);
        assertThat(of(throughParent).dial()).isEqualTo(dial);
    }

    @Test
    void aGateThatRefusesAfterAChangeOfThePolicyHasDenied() {
        MutableAuditRecord record = record().action(Action.REJECT)
                .verdict(GATE, GateVerdict.allowed(false, null))
                .rejectedBy(GATE);

        assertThat(of(record).denied()).isTrue();
        assertThat(of(record).allowed()).isFalse();
    }

    @Test
    void theLastGateCounts() {
        MutableAuditRecord record = record().action(Action.REJECT)
                .verdict("operators", GateVerdict.allowed(false, "10.0.0.0/8"))
                .verdict(GATE, GateVerdict.denied(false));

        assertThat(of(record).denied()).isTrue();
        assertThat(of(record).range()).isNull();
    }

    @Test
    void aRangeThatMatchedIsToldAsItWasConfigured() {
        MutableAuditRecord record =
                record().host("10.1.2.3").action(Action.ALLOW).verdict(GATE, GateVerdict.allowed(false, "10.0.0.0/8"));

        assertThat(of(record).range()).isEqualTo("10.0.0.0/8");
    }

    /** http for plaintext, tls for intercepted or passed-through TLS, tcp for the rest. */
    @Test
    void theProtocolIsWhatWasSpoken() {
        assertThat(of(record()).protocol()).isEqualTo(Protocol.HTTP);
        assertThat(of(record().secure(true)).protocol()).isEqualTo(Protocol.TLS);
        assertThat(of(record().method("").sni("api.example.com")).protocol()).isEqualTo(Protocol.TLS);
        assertThat(of(record().method("").protocol("tcp")).protocol()).isEqualTo(Protocol.TCP);
        assertThat(of(record().secure(true).action(Action.REJECT).endedBeforeRequest("unknown_protocol", ""))
                        .protocol())
                .isEqualTo(Protocol.TCP);
    }

    /** enforce closes the rest (tcp, denied) but to a destination inside a cidr rule. */
    @Test
    void whatIsNeitherHttpNorTlsIsAllowedByRangesAlone() {
        MutableAuditRecord byHost = record().action(Action.REJECT)
                .endedBeforeRequest("unknown_protocol", "")
                .verdict(GATE, GateVerdict.allowed(false, null));
        MutableAuditRecord byRange = record().action(Action.REJECT)
                .endedBeforeRequest("unknown_protocol", "")
                .verdict(GATE, GateVerdict.allowed(false, "10.0.0.0/8"));

        assertThat(of(byHost).denied()).isTrue();
        assertThat(of(byRange).denied()).isFalse();
        assertThat(of(byRange).allowed()).isFalse();
    }

    @Test
    void everyReplacementIsToldWithItsPlace() {
        MutableAuditRecord record = record().action(Action.ALLOW);
        TransformTrace secrets = record.requestTrace("secrets");
        secrets.annotate(
                "swapped", List.of(Map.of("secret", "A", "locations", List.of("header:Authorization", "path"))));
        secrets.annotate("injected", List.of(Map.of("secret", "B", "locations", List.of("query:key"))));

        assertThat(of(record).replacements())
                .containsExactly(
                        new Replacement("A", "header:Authorization"),
                        new Replacement("A", "path"),
                        new Replacement("B", "query:key"));
    }

    @Test
    void whatIsNoRequestToTheOutsideIsNoEvent() {
        assertThat(ObservedEgress.of(record().host(""))).isNull();
        assertThat(ObservedEgress.of(record().action(Action.ALLOW))).isNotNull();
    }

    /** The proxy's own site has no policy: neither what it serves, nor what it refuses, nor a tunnel to it. */
    @ParameterizedTest
    @EnumSource(Action.class)
    void theProxysOwnSiteHasNoEvents(Action action) {
        assertThat(ObservedEgress.of(record().host(LocalSite.HOST).action(action)))
                .isNull();
        assertThat(ObservedEgress.of(
                        record().host(LocalSite.HOST).action(action).endedBeforeRequest("no_request", "")))
                .isNull();
    }

    /** What a workload sends is told, but never so that its event would be refused. */
    @Test
    void longTextsOfAWorkloadAreCutToWhatIsTaken() {
        String name = "x".repeat(60_000);
        MutableAuditRecord record = record().host("h".repeat(300)).workload("w".repeat(2000));
        record.requestTrace("secrets")
                .annotate(
                        "swapped",
                        List.of(Map.of(
                                "secret", "s".repeat(2000), "locations", List.of("header:" + name, "query:" + name))));

        ObservedEgress seen = of(record);

        assertThat(seen.host()).isEqualTo("h".repeat(254) + "\u2026");
        assertThat(seen.workload()).isEqualTo("w".repeat(1023) + "\u2026");
        assertThat(seen.replacements())
                .containsExactly(
                        new Replacement("s".repeat(1023) + "\u2026", "header:" + "x".repeat(1016) + "\u2026"),
                        new Replacement("s".repeat(1023) + "\u2026", "query:" + "x".repeat(1017) + "\u2026"));
    }

    /** Many with long texts would be most of a megabyte for one request. */
    @Test
    void replacementsTogetherHaveNoMoreCharactersThanAreKeptAndTheRestIsDropped() {
        String location = "h".repeat(1000);
        MutableAuditRecord record = record().action(Action.ALLOW);
        TransformTrace secrets = record.requestTrace("secrets");
        secrets.annotate(
                "swapped", List.of(Map.of("secret", "s".repeat(1000), "locations", Collections.nCopies(10, location))));
        secrets.annotate("injected", List.of(Map.of("secret", "B", "locations", List.of("query:key"))));

        assertThat(of(record).replacements())
                .as("2,000 characters each; what comes after the first without room is not told, either")
                .isEqualTo(Collections.nCopies(8, new Replacement("s".repeat(1000), location)));
    }

    @Test
    void aSingleReplacementIsKeptHoweverLongItsTextsAreAndAsManyShortOnesAsThereMayBe() {
        MutableAuditRecord pairs = record();
        pairs.requestTrace("secrets")
                .annotate(
                        "swapped",
                        List.of(Map.of(
                                "secret",
                                "\uD83D\uDE00".repeat(2000),
                                "locations",
                                List.of("\uD83D\uDE00".repeat(2000)))));
        MutableAuditRecord many = record();
        many.requestTrace("secrets")
                .annotate(
                        "swapped",
                        List.of(Map.of("secret", "A", "locations", Collections.nCopies(101, "header:Authorization"))));

        assertThat(of(pairs).replacements()).hasSize(1);
        assertThat(of(many).replacements()).hasSize(ObservedEgress.MOST_REPLACEMENTS);
    }

    /** 16 Ki are kept, and not one more. */
    @Test
    void theLastCharacterOfReplacementsThatIsKept() {
        assertThat(of(replaced(16, 512)).replacements()).hasSize(16);
        assertThat(of(replaced(17, 512)).replacements()).hasSize(16);
        assertThat(of(replaced(16, 513)).replacements()).hasSize(15);
    }

    /** With names and places of this length. */
    private static MutableAuditRecord replaced(int times, int length) {
        MutableAuditRecord record = record();
        record.requestTrace("secrets")
                .annotate(
                        "swapped",
                        List.of(Map.of(
                                "secret",
                                "s".repeat(length),
                                "locations",
                                Collections.nCopies(times, "l".repeat(length)))));
        return record;
    }

    @Test
    void textsAreCutBetweenWholeCharactersAndThoseOfTheLongestLengthAreKept() {
        String pairs = "\uD83D\uDE00".repeat(255);
        assertThat(of(record().host("h".repeat(255))).host()).isEqualTo("h".repeat(255));
        assertThat(of(record().host(pairs)).host()).isEqualTo(pairs);
        assertThat(of(record().host(pairs + "x")).host()).isEqualTo(pairs.substring(0, 508) + "\u2026");
    }

    /** A database keeps no NUL, and UTF-8 has no form for half of a pair. */
    @Test
    void charactersThatCannotBeKeptAreReplaced() {
        MutableAuditRecord record = record();
        record.requestTrace("secrets")
                .annotate(
                        "swapped",
                        List.of(Map.of(
                                "secret", "A", "locations", List.of("query:a\u0000b\uD83Dc\uDE00", "query:\u0001"))));

        assertThat(of(record).replacements())
                .containsExactly(
                        new Replacement("A", "query:a\uFFFDb\uFFFDc\uFFFD"), new Replacement("A", "query:\uFFFD"));
    }

    /** A part of a range would be another one. */
    @Test
    void aRangeThatIsTooLongIsLeftOut() {
        MutableAuditRecord record = record().action(Action.ALLOW);
        record.verdict(GATE, GateVerdict.allowed(false, "1".repeat(65)));

        assertThat(of(record).range()).isNull();
    }

    /** Whoever leaves, or is cut off, while its request waits for its turn has sent nothing, and nobody has judged it. */
    @ParameterizedTest
    @CsvSource({"CLIENT_CANCEL, client_left", "CLIENT_CANCEL, client_stalled", "ERROR, shutdown"})
    void aRequestThatWaitedAndNeverBeganIsNoEvent(Action action, String code) {
        assertThat(ObservedEgress.of(record().action(action).endedBeforeRequest(code, "")))
                .isNull();
    }

    @ParameterizedTest
    @CsvSource({
        // verdict, how it ended, denied, allowed
        "allowed, CLIENT_CANCEL, no_request, false, true",
        "allowed, ERROR, client_tls_failed, false, true", // the client does not trust the certificate
        "allowed, REJECT, shutdown, false, true", // the proxy ended
        "allowed, REJECT, malformed_hello, false, false",
        "warn denied, CLIENT_CANCEL, no_request, true, true",
        "denied, CLIENT_CANCEL, no_request, true, false",
    })
    void aTunnelThatNobodyUsedIsAllowedIfItWasLetThrough(
            String verdict, Action action, String code, boolean denied, boolean allowed) {
        GateVerdict said = verdict(verdict);
        assertThat(said).isNotNull();

        ObservedEgress seen = of(record().method("")
                .secure(true)
                .verdict(GATE, said)
                .action(action)
                .endedBeforeRequest(code, ""));

        assertThat(seen.denied()).isEqualTo(denied);
        assertThat(seen.allowed()).isEqualTo(allowed);
    }
}
