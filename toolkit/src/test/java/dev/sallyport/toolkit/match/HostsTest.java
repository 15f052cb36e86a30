package dev.sallyport.toolkit.match;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostsTest {

    @ParameterizedTest
    @CsvSource({
        "API.Example.COM, api.example.com",
        "example.com., example.com",
        "bücher.example, xn--bcher-kva.example",
        "BÜCHER.Example., xn--bcher-kva.example",
        "XN--BCHER-KVA.example, xn--bcher-kva.example",
        "_dmarc.example.com, _dmarc.example.com",
        "r3---sn-x.example, r3---sn-x.example",
        "пример。испытание, xn--e1afmkfd.xn--80akhbyknj4f",
        "Ｅxample.com, example.com",
        "localhost, localhost",
        "1password.com, 1password.com",
        "a.0xg, a.0xg",
        "192.0.2.1, 192.0.2.1",
        "192.0.2.1., 192.0.2.1",
        "[2001:DB8:0:0::1], 2001:db8::1",
        "2001:0db8::0001, 2001:db8::1",
        "::FFFF:192.0.2.1, 192.0.2.1",
        "[::ffff:c000:201], 192.0.2.1",
        "[::], ::",
        "1:0:0:2:0:0:0:3, 1:0:0:2::3",
        "0:0:1:0:0:0:0:0, 0:0:1::",
        "1:2:3:4:5:6:7:0, 1:2:3:4:5:6:7:0",
        "64:ff9b::192.0.2.1, 64:ff9b::c000:201",
    })
    void hostGlob_comparedAfterCanonicalisation(String wire, String canonical) {
        assertThat(Hosts.canonical(wire)).isEqualTo(canonical);
        assertThat(Hosts.canonical(canonical)).isSameAs(canonical);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "..",
                "a..b",
                ".a",
                "example.com..",
                "a b",
                "a\tb",
                "a\0b",
                "a%41",
                "a/b",
                "a@b",
                "a:b",
                "a:80",
                "*",
                "[a]",
                "[1.2.3.4]",
                "[::1",
                "::1]",
                "[fe80::1%25eth0]",
                "fe80::1%eth0",
                ":::",
                "1::2::3",
                "1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:8:9",
                "::12345",
                "1:",
                ":1",
                "::1.2.3",
                "1:2:3:4:5:6:7:1.2.3.4",
                "::1.2.3.04",
                "1.2.3.4::",
                "é%",
                "a\uFF0Fb",
                "\u2100.example",
                "faß.de",
                "βόλος.gr",
                "a\u200Db.example",
                "\uD83E\uDD84.example",
                "xn--ü.example"
            })
    void whatCannotBeAHost_isRefused(String wire) {
        assertThatExceptionOfType(InvalidHostException.class)
                .isThrownBy(() -> Hosts.canonical(wire))
                .withMessageContaining("(expected: ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0x7f.1",
                "127.1",
                "2130706433",
                "0x7f000001",
                "0177.0.0.1",
                "1.2.3",
                "1.2.3.4.5",
                "256.1.1.1",
                "01.2.3.4",
                "1.2.3.4a.5",
                "foo.0x",
                "foo.0X1F",
                "foo.09",
                "１２７.１",
                "0x7f.0.0.1"
            })
    void aNameThatEndsInANumber_isRefused_soThatNoLayerReadsItAsAnAddress(String wire) {
        assertThatExceptionOfType(InvalidHostException.class)
                .isThrownBy(() -> Hosts.canonical(wire))
                .withMessageContaining("ends in a number");
    }

    @Test
    void lengths_areThoseOfDns() {
        String label = "a".repeat(63);
        String name = label + "." + label + "." + label + "." + "a".repeat(61);
        assertThat(Hosts.canonical(name)).isSameAs(name);
        assertThat(Hosts.canonical(name + ".")).isEqualTo(name);
        assertThatExceptionOfType(InvalidHostException.class).isThrownBy(() -> Hosts.canonical(name + "a"));
        assertThatExceptionOfType(InvalidHostException.class)
                .isThrownBy(() -> Hosts.canonical("a".repeat(64) + ".example"))
                .withMessageContaining("more than 63");
    }

    @Test
    void aRefusal_doesNotRepeatWhatAPeerSent() {
        assertThatExceptionOfType(InvalidHostException.class)
                .isThrownBy(() -> Hosts.canonical("evil\r\nlog line"))
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("evil"));
    }

    @Test
    void addresses_areTold_fromNames() {
        assertThat(Hosts.isLiteral("192.0.2.1")).isTrue();
        assertThat(Hosts.isLiteral("::1")).isTrue();
        assertThat(Hosts.isLiteral("a1")).isFalse();
        assertThat(Hosts.isLiteral("example.com")).isFalse();
    }
}
