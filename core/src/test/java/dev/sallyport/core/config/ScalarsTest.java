package dev.sallyport.core.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Durations, sizes and addresses are parsed strictly. */
class ScalarsTest {

    @ParameterizedTest
    @CsvSource({
        "30s, PT30S",
        "1h30m, PT1H30M",
        "250ms, PT0.25S",
        "0, PT0S",
        "0s, PT0S",
        "1.5s, PT1.5S",
        "15m, PT15M",
        "-1s, PT-1S",
        "1us, PT0.000001S",
        "100ns, PT0.0000001S",
        "1h0m10s, PT1H10S"
    })
    void durationsAreReadAsGoWritesThem(String text, Duration expected) {
        assertThat(Durations.parse(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "s",
                "30",
                "1 s",
                "30S",
                "1d",
                "PT30S",
                "1.s",
                ".5s",
                "+1s",
                "1e3s",
                "30s ",
                "1s-1s",
                "--1s",
                "9999999999h",
                "00000000000000000000000000000000000000000000000000000000000000001s"
            })
    void otherDurationsAreRefused(String text) {
        assertThatThrownBy(() -> Durations.parse(text)).isInstanceOf(BadValueException.class);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "65536, 65536", "512B, 512", "64KiB, 65536", "256MiB, 268435456", "1GiB, 1073741824"})
    void sizesHaveBinaryUnits(String text, long bytes) {
        assertThat(ByteSize.parse(text)).isEqualTo(new ByteSize(bytes));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "KiB",
                "1 KiB",
                "1K",
                "1KB",
                "1kib",
                "-1",
                "1.5MiB",
                "9223372036854775808",
                "99999999999999GiB"
            })
    void otherSizesAreRefused(String text) {
        assertThatThrownBy(() -> ByteSize.parse(text)).isInstanceOf(BadValueException.class);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1000, 1000", "65536, 64KiB", "1536, 1536", "268435456, 256MiB", "1073741824, 1GiB"})
    void sizesPrintWithTheLargestUnitThatFits(long bytes, String text) {
        assertThat(new ByteSize(bytes)).hasToString(text);
    }

    @ParameterizedTest
    @CsvSource({
        ":53, '', 53",
        "127.0.0.1:8080, 127.0.0.1, 8080",
        "[::1]:80, ::1, 80",
        "localhost:0, localhost, 0",
        "[2001:DB8::1]:65535, 2001:db8::1, 65535"
    })
    void listenAddresses(String text, String host, int port) {
        assertThat(ListenAddress.parse(text)).isEqualTo(new ListenAddress(host, port));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":",
                "80",
                "127.0.0.1",
                "::1",
                "::1:80",
                "[::1]",
                "[::1]80",
                "[::1:80",
                ":65536",
                ":-1",
                ":080",
                ":8o",
                "127.0.0.1:",
                "a b:80",
                "[127.0.0.1]:80",
                ":999999999999",
                "http://x:80",
                "127.1:80"
            })
    void otherListenAddressesAreRefused(String text) {
        assertThatThrownBy(() -> ListenAddress.parse(text)).isInstanceOf(BadValueException.class);
    }

    @Test
    @DisplayName("an address to listen on prints as it is written")
    void listenAddressPrints() {
        assertThat(ListenAddress.parse("[::1]:80")).hasToString("[::1]:80");
        assertThat(ListenAddress.parse(":80")).hasToString(":80");
        assertThat(ListenAddress.parse(":0").toSocketAddress().getAddress().isAnyLocalAddress())
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "192.0.2.53, 192.0.2.53:53",
        "192.0.2.53:5353, 192.0.2.53:5353",
        "2001:db8::53, [2001:db8:0:0:0:0:0:53]:53",
        "[2001:db8::53]:5353, [2001:db8:0:0:0:0:0:53]:5353",
        "[2001:db8::53], [2001:db8:0:0:0:0:0:53]:53"
    })
    void serverAddressesAreAddressesWithOrWithoutPort(String text, String expected) {
        assertThat(ServerAddress.parse(text)).hasToString(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "dns.example.com", "dns.example.com:53", "192.0.2.53:0", "192.0.2.53:", "192.0.2:53", ":53"})
    void otherServerAddressesAreRefused(String text) {
        assertThatThrownBy(() -> ServerAddress.parse(text)).isInstanceOf(BadValueException.class);
    }

    @ParameterizedTest
    @CsvSource({
        ":80, :80, true",
        ":80, 127.0.0.1:80, true",
        "127.0.0.1:80, 127.0.0.1:80, true",
        "127.0.0.1:80, 127.0.0.2:80, false",
        ":80, :81, false",
        ":0, :0, false",
        "0.0.0.0:80, 127.0.0.1:80, true"
    })
    void addressesCollideWhenBothCannotBeBound(String one, String other, boolean collide) {
        assertThat(ListenAddress.parse(one).collidesWith(ListenAddress.parse(other)))
                .isEqualTo(collide);
        assertThat(ListenAddress.parse(other).collidesWith(ListenAddress.parse(one)))
                .isEqualTo(collide);
    }

    @ParameterizedTest
    @CsvSource({
        "domans, domains",
        "domain, domains",
        "listne, listen",
        "LISTEN, listen",
        "http-listen, http_listen",
        "xyz, ",
        "upstream_header_timeout, upstream_response_header_timeout",
        "'', "
    })
    void theNearestWordIsTheOneWithTheFewestEdits(String word, String nearest) {
        assertThat(NearestKey.to(
                        word, List.of("listen", "domains", "http_listen", "upstream_response_header_timeout", "rules")))
                .isEqualTo(nearest);
    }
}
