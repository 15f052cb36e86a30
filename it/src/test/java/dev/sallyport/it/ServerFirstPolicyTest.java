package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.core.PipelineSpec;
import dev.sallyport.core.PipelineUpdate;
import dev.sallyport.spi.Admission;
import dev.sallyport.spi.Capabilities;
import dev.sallyport.spi.ConnectContext;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.RequestContext;
import dev.sallyport.spi.Rule;
import dev.sallyport.testsupport.Wire;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing is dialled for a silent client that would not be relayed (docs/spec/decisions.md, section 15a, "Egress"). */
class ServerFirstPolicyTest extends ServerFirstSuite {

    /** A little longer than a client may be silent. */
    private static final String SHORT = "limits: {first_bytes_timeout: 700ms}";

    private static final Capabilities JUDGE = Capabilities.builder()
            .scope(List.of(Rule.cidr("127.0.0.0/8")))
            .restricts()
            .build();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{cidrs: [127.0.0.0/8]}",
                "{other_tcp: true, domains: ['*']}",
                "{other_tcp: true, domains: [127.0.0.1], cidrs: [127.0.0.128/25]}",
                "{other_tcp: true, domains: [127.0.0.1], rules: [{cidr: 127.0.0.0/8, paths: [/a]}]}",
            })
    void whereNothingIsRelayedNothingIsDialled(String allowlist) throws Exception {
        try (TestProxy proxy = builder(allowlist).proxyLines(OPEN, SHORT).start()) {
            assertNothingIsDialled(proxy);
        }
    }

    private void assertNothingIsDialled(TestProxy proxy) throws Exception {
        try (Wire client = connect(proxy)) {
            assertThat(client.readToEnd()).isEmpty();
        }
        JsonNode record = proxy.record();
        assertThat(record.at("/audit/action").asText()).isEqualTo("reject");
        assertThat(record.at("/error").asText()).startsWith("request_timeout: ");
        assertNobodyElseComes();
    }

    static List<Capabilities> whatLooksAtRequests() {
        return List.of(
                JUDGE,
                Capabilities.builder().needsFullVisibility().build(),
                Capabilities.builder().admits(List.of(Rule.host("*"))).build());
    }

    @ParameterizedTest
    @MethodSource("whatLooksAtRequests")
    void whereATransformHasToSeeRequestsNothingIsDialled(Capabilities capabilities) throws Exception {
        try (TestProxy proxy = builder(RANGE)
                .proxyLines(OPEN, SHORT)
                .transform("looks", capabilities, (InlineTransform) request -> Decision.proceed())
                .start()) {
            assertNothingIsDialled(proxy);
        }
    }

    /** It is told when it is settled that nothing else is spoken. */
    @Test
    void whatATransformRefusesIsNotDialled() throws Exception {
        try (TestProxy proxy = builder(RANGE)
                .proxyLines(OPEN, LONGER)
                .transform("never", (InlineTransform) request -> Decision.reject(403, "never", "Never."))
                .start()) {
            try (Wire client = connect(proxy)) {
                assertThat(client.readToEnd()).isEmpty();
            }
            JsonNode record = assertRecord(proxy, "reject", "");
            assertThat(record.at("/rejected_by").asText()).isEqualTo("never");
            assertNobodyElseComes();
            assertThat(proxy.closeAndRecords()).hasSize(1);
        }
    }

    /** It leads nowhere, whatever is relayed there. */
    @Test
    void aTunnelThatOnlyTellsOfItsRefusalIsNotDialled() throws Exception {
        try (TestProxy proxy = builder(RANGE)
                .proxyLines(OPEN, SHORT, "tunnel_denials: inside")
                .transform("closed", Capabilities.none(), new Closed())
                .start()) {
            try (Wire client = connect(proxy)) {
                assertThat(client.readToEnd()).isEmpty();
            }
            assertThat(proxy.record().at("/rejected_by").asText()).isEqualTo("closed");
            assertNobodyElseComes();
        }
    }

    private static final class Closed implements InlineTransform {

        @Override
        public Admission onConnect(ConnectContext context) {
            return Admission.refuse("closed", "Closed.");
        }

        @Override
        public Decision decide(RequestContext request) {
            return Decision.proceed();
        }
    }

    @Test
    void theDialGuardHolds() throws Exception {
        try (TestProxy proxy = builder(RANGE)
                .proxyLines("upstream_deny_cidrs: [127.0.0.0/8]", LONGER)
                .start()) {
            try (Wire client = connect(proxy)) {
                assertThat(client.readToEnd()).isEmpty();
            }
            assertRecord(proxy, "error", "upstream_denied: ");
            assertNobodyElseComes();
        }
    }

    @Test
    void theRuleThatGoesEndsWhatItLetThrough() throws Exception {
        try (TestProxy proxy = tenants();
                Wire client = connect(proxy, Tenants.as("job") + "\r\n");
                Wire server = accept()) {
            server.send(GREETING);
            client.read(GREETING.length());

            Tenants.applyAll(proxy, job("{other_tcp: true, domains: [127.0.0.1]}"));

            assertThat(client.readToEnd()).isEmpty();
            assertThat(server.readToEnd()).isEmpty();
            assertRecord(proxy, "reject", "policy_changed: ");
        }
    }

    /** The client, which may still speak HTTP, is not told before it has said what it speaks. */
    @Test
    void theRuleThatGoesClosesWhatWasDialledEarly() throws Exception {
        try (TestProxy proxy = tenants();
                Wire client = connect(proxy, Tenants.as("job") + "\r\n")) {
            try (Wire server = accept()) {
                Tenants.applyAll(proxy, job("{other_tcp: true, domains: [127.0.0.1]}"));
                assertThat(server.readToEnd()).isEmpty();
            }
            client.send(SSH);
            assertThat(client.readToEnd()).isEmpty();
            assertRecord(proxy, "reject", "policy_changed: ");
            assertNobodyElseComes();
        }
    }

    private TestProxy tenants() throws Exception {
        TestProxy proxy = TestProxy.builder(folder)
                .catalog(Tenants.catalog())
                .sections("transforms: []\n")
                .start();
        Tenants.applyAll(proxy, job(RANGE));
        return proxy;
    }

    private static PipelineUpdate.Builder job(String allowlist) {
        return PipelineUpdate.builder()
                .upsert(Tenants.user("job")
                        .pipeline(PipelineSpec.of("transforms: [{name: allowlist, config: " + allowlist + "}]\n"))
                        .build());
    }
}
