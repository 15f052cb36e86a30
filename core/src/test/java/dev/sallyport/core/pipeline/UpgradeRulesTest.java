package dev.sallyport.core.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.Rule;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** For which hosts TLS must be able to end in halves, before any request has been read. */
class UpgradeRulesTest {

    private static final UpgradeRules RULES = UpgradeRules.of(List.of(
            Rule.host("plain.test"),
            Rule.builder()
                    .host("*.docker.test")
                    .methods(List.of("POST"))
                    .paths(List.of("/exec/*"))
                    .ports(List.of(2376))
                    .upgrade(List.of("tcp"))
                    .build(),
            Rule.builder()
                    .cidr("192.0.2.0/24")
                    .scheme(Rule.Scheme.HTTPS)
                    .upgrade(List.of("spdy/3.1"))
                    .build(),
            Rule.builder()
                    .host("clear.test")
                    .scheme(Rule.Scheme.HTTP)
                    .upgrade(List.of("tcp"))
                    .build()));

    @ParameterizedTest
    @CsvSource({
        "a.docker.test,  true",
        "192.0.2.7,      true",
        "plain.test,     false",
        "clear.test,     false",
        "198.51.100.1,   false",
        "2001:db8::1,    false",
        "elsewhere.test, false"
    })
    void aHostMayWhateverThePortMethodAndPathOverTls(String host, boolean may) {
        assertThat(RULES.mayAllow(host)).isEqualTo(may);
    }

    @Test
    void withoutAListedProtocolNoHostMay() {
        assertThat(UpgradeRules.of(List.of(Rule.host("*"))).mayAllow("a.test")).isFalse();
        assertThat(UpgradeRules.of(List.of()).mayAllow("a.test")).isFalse();
    }
}
