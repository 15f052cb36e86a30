package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.control.audit.EgressEvent;
import dev.sallyport.control.audit.EgressFacts;
import dev.sallyport.control.model.EgressMode;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each parameter of {@code /v1/audit/egress} with each of its values, and the order of the list. */
class EgressAuditFiltersTest {

    private static final String PATH = "/v1/audit/egress";
    private static final Instant START = Instant.parse("2026-01-02T03:04:05.678Z");
    private static final String VM = "vm_00000000000000000000000000";

    private final TestControl control = TestControl.shared();
    private Api api;

    @BeforeEach
    void signUp() {
        api = control.newAccount();
    }

    private static EgressFacts facts(
            int millis, @Nullable String vm, EgressFacts.Target target, EgressFacts.Outcome outcome) {
        return new EgressFacts(START.plusMillis(millis), vm, target, outcome, List.of());
    }

    private static EgressFacts.Target target(String host, EgressEvent.Protocol protocol) {
        return new EgressFacts.Target(host, null, protocol);
    }

    /** One of each kind, the older first, called by what it differs in. */
    private void arrive(Api owner) {
        EgressFacts.Target range = new EgressFacts.Target("10.0.0.1", "10.0.0.0/8", EgressEvent.Protocol.TCP);
        EgressFacts.Outcome warned =
                new EgressFacts.Outcome(EgressEvent.Verdict.ALLOWED, true, EgressMode.WARN, EgressEvent.Dial.CONNECTED);
        EgressEvents.arrive(
                control,
                EgressEvents.organization(owner),
                List.of(
                        facts(0, null, target("plain", EgressEvent.Protocol.HTTP), EgressEvents.ALLOWED),
                        facts(1, null, target("denied", EgressEvent.Protocol.TLS), EgressEvents.DENIED),
                        facts(2, null, target("warned", EgressEvent.Protocol.TLS), EgressEvents.WARNED),
                        facts(3, VM, range, warned)));
    }

    private JsonNode events(String query) {
        Api.Reply reply = api.get(PATH + query);
        assertThat(reply.status()).as(reply.text()).isEqualTo(200);
        return reply.data();
    }

    private String hosts(String query) {
        return String.join(" ", events(query).findValuesAsText("host"));
    }

    @ParameterizedTest
    @CsvSource({
        "'', 10.0.0.1 warned denied plain",
        "order=desc, 10.0.0.1 warned denied plain",
        "order=asc, plain denied warned 10.0.0.1",
        "verdict=allowed, 10.0.0.1 plain",
        "verdict=denied, warned denied",
        "allowed=true, 10.0.0.1 warned plain",
        "allowed=false, denied",
        "mode=enforce, denied plain",
        "mode=warn, 10.0.0.1 warned",
        "protocol=http, plain",
        "protocol=tls, warned denied",
        "protocol=tcp, 10.0.0.1",
        "cidr=10.0.0.0/8, 10.0.0.1",
        "cidr=10.0.0.0/9, ''",
        "cidr=10.0.0.1, ''",
        "vm_id=vm_00000000000000000000000000, 10.0.0.1",
        "vm_id=VM_00000000000000000000000000, ''",
        "verdict=allowed&mode=enforce, plain",
        "since=2026-01-02T03:04:05.680Z, 10.0.0.1 warned",
        "until=2026-01-02T03:04:05.680Z, denied plain",
        "since=2026-01-02T04:04:05.680%2B01:00, 10.0.0.1 warned",
        "until=2026-01-01T23:04:05.68-04:00, denied plain",
        "since=2026-01-02T03:04:06Z, ''",
        "until=2026-01-02T03:04Z, ''",
        "since=2026-01-02, 10.0.0.1 warned denied plain",
        "until=2026-01-02, ''",
        "since=2026-01-03, ''",
        "until=2026-01-03, 10.0.0.1 warned denied plain"
    })
    void eachFilterAndOrderTakesWhatItSays(String query, String hosts) {
        arrive(api);

        assertThat(hosts("?" + query)).isEqualTo(hosts);
        assertThat(api.get(PATH + "/export?" + query)
                        .text()
                        .lines()
                        .map(line -> Api.tree(line).path("host").asText()))
                .as("the export has the filters of the list")
                .containsExactlyElementsOf(hosts.isEmpty() ? List.of() : List.of(hosts.split(" ", -1)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "verdict=ALLOWED",
                "allowed=True",
                "mode=Warn",
                "protocol=HTTP",
                "order=DESC",
                "since=2026-01-02T03:04:05",
                "since=2026-01-32",
                "since=2026-1-2",
                "since=2026-01",
                "until=2026-01-02Z",
                "until=",
                "verdict=allowed&verdict=allowed"
            })
    void valuesAreCaseSensitiveAndWhole(String query) {
        Api.Reply reply = api.get(PATH + "?" + query);

        assertThat(reply.error()).isEqualTo("422 validation_error");
        assertThat(reply.fields()).containsExactly(query.replaceFirst("=.*", ""));
    }

    @Test
    void anEventTellsItsSandboxItsRangeAndTheModeThen() {
        arrive(api);

        JsonNode event = events("").get(0);

        assertThat(event.path("vm_id").asText()).isEqualTo(VM);
        assertThat(event.path("cidr").asText()).isEqualTo("10.0.0.0/8");
        assertThat(event.path("protocol").asText()).isEqualTo("tcp");
        assertThat(event.path("mode").asText()).isEqualTo("warn");
        assertThat(event.path("timestamp").asText()).isEqualTo("2026-01-02T03:04:05.681Z");
    }

    @Test
    void aSandboxOfAnotherAccountHasNoEvents() {
        arrive(control.newAccount());

        assertThat(events("?vm_id=" + VM)).isEmpty();
    }

    @Test
    void theListIsByTimeWhateverElseIsAskedFor() {
        arrive(api);

        assertThat(hosts("?sort=host&order=asc")).isEqualTo("plain denied warned 10.0.0.1");
    }

    @Test
    void eventsOfOneMomentAreInTheOrderOfTheirIdentifiersInTheSameDirection() {
        EgressFacts one = facts(0, null, target("h", EgressEvent.Protocol.TLS), EgressEvents.ALLOWED);
        EgressEvents.arrive(control, EgressEvents.organization(api), Collections.nCopies(4, one));

        assertThat(events("?order=asc").findValuesAsText("id")).hasSize(4).isSorted();
        assertThat(events("").findValuesAsText("id")).hasSize(4).isSortedAccordingTo(Comparator.reverseOrder());
    }

    @Test
    void anyWellFormedIdentifierIsAPositionWithAnyFilter() {
        arrive(api);
        String denied = events("?host=denied").get(0).path("id").asText();

        assertThat(hosts("?cursor=" + denied)).isEqualTo("plain");
        assertThat(hosts("?cursor=" + denied + "&order=asc&mode=warn")).isEqualTo("warned 10.0.0.1");
        assertThat(hosts("?order=asc&cursor=ee_00000000000000000000000000")).isEqualTo("plain denied warned 10.0.0.1");
        assertThat(hosts("?cursor=ee_7zzzzzzzzzzzzzzzzzzzzzzzzz")).isEqualTo("10.0.0.1 warned denied plain");
        assertThat(hosts("?cursor=ee_00000000000000000000000000")).isEmpty();
        assertThat(api.get(PATH + "?cursor=ee_8zzzzzzzzzzzzzzzzzzzzzzzzz").fields())
                .containsExactly("cursor");
    }
}
