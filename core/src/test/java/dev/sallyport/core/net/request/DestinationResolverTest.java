package dev.sallyport.core.net.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sallyport.core.http.HeaderBlock;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.ListenerKind;
import dev.sallyport.toolkit.match.Destinations;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** docs/spec/decisions.md, section 2: one destination for each exchange. */
class DestinationResolverTest {

    @ParameterizedTest(name = "tunnel {0}, TLS {1}, SNI {2}, target {3}, Host {4}: {5}")
    @CsvSource(
            nullValues = "-",
            value = {
                // http_listen and https_listen: the name is Host's, the port Host's or the scheme's.
                "-, false, -, /, a.test, a.test:80",
                "-, false, -, /, A.Test., a.test:80",
                "-, false, -, /, a.test:8080, a.test:8080",
                "-, false, -, /, [2001:DB8::1]:81, [2001:db8::1]:81",
                "-, false, -, /, 192.0.2.1, 192.0.2.1:80",
                "-, true, a.test, /, a.test, a.test:443",
                "-, true, a.test, /, a.test:8443, a.test:8443",
                "-, true, -, /, a.test, a.test:443",
                "-, true, -, /, 192.0.2.1, 192.0.2.1:443",
                // What is no ASCII could be read in two ways: as ISO 8859-1 here, as UTF-8 there.
                "-, false, -, /, \u00FC.test, 400",
                "-, false, -, /, \u00C3\u00BC.test, 400",
                "-, false, -, /, a\u3002test, 400",
                "-, false, -, http://a.test/, \u00FC.test, 400",
                "a.test:443, true, -, /, \u00E0.test, 400",
                "-, false, -, /, xn--tda.test, xn--tda.test:80",
                // SNI = Host.
                "-, true, b.test, /, a.test, 421",
                "-, true, a.test, /, 192.0.2.1, 421",
                // An absolute-form target replaces Host.
                "-, false, -, http://a.test/, b.test, a.test:80",
                "-, false, -, HTTP://A.test:81/x, b.test, a.test:81",
                "-, false, -, https://a.test/, a.test, 400",
                "-, true, a.test, https://a.test/, b.test, a.test:443",
                "-, true, a.test, https://b.test/, a.test, 421",
                "-, true, a.test, http://a.test/, a.test, 400",
                // CONNECT's name = SNI = Host, CONNECT's port.
                "a.test:443, true, a.test, /, a.test, a.test:443",
                "a.test:8443, true, a.test, /, a.test, a.test:8443",
                "a.test:8443, true, a.test, /, a.test:8443, a.test:8443",
                "a.test:8443, true, a.test, /, a.test:443, 421",
                "a.test:443, true, a.test, /, a.test:8443, 421",
                "a.test:443, true, b.test, /, b.test, 421",
                "a.test:443, true, b.test, /, a.test, 421",
                "a.test:443, true, a.test, /, b.test, 421",
                "a.test:443, true, -, /, a.test, a.test:443",
                "a.test:443, true, -, /, b.test, 421",
                // Inside a tunnel the proxy is not asked.
                "a.test:443, true, a.test, https://a.test/, b.test, 421",
                "a.test:443, true, a.test, https://a.test/, a.test, 421",
                "a.test:443, true, a.test, https://b.test/, a.test, 421",
                "a.test:443, true, a.test, https://a.test:444/, a.test, 421",
                "a.test:8080, false, -, /, a.test, a.test:8080",
                "a.test:8080, false, -, /, a.test:8080, a.test:8080",
                "a.test:8080, false, -, /, a.test:80, 421",
                "a.test:8080, false, -, http://a.test:8080/, b.test, 421",
                "a.test:8080, false, -, http://b.test:8080/, a.test, 421",
                // An address as CONNECT's target: the name counts, the address only without SNI and named by Host.
                "192.0.2.1:443, true, a.test, /, a.test, a.test:443",
                "192.0.2.1:443, true, a.test, /, b.test, 421",
                "192.0.2.1:443, true, a.test, /, 192.0.2.1, 421",
                "192.0.2.1:443, true, -, /, a.test, a.test:443",
                "192.0.2.1:443, true, -, /, 192.0.2.1, 192.0.2.1:443",
                "192.0.2.1:443, true, -, /, 192.0.2.2, 421",
                "192.0.2.1:8443, true, -, /, 192.0.2.1:8443, 192.0.2.1:8443",
                "192.0.2.1:8443, true, -, /, 192.0.2.1:443, 421",
                "192.0.2.1:80, false, -, /, a.test, a.test:80",
                "[2001:db8::1]:443, true, -, /, [2001:db8:0::1], [2001:db8::1]:443",
                // Host must be there, once, and be one.
                "-, false, -, /, -, 400",
                "-, false, -, http://a.test/, -, 400",
                "-, false, -, /, a b, 400",
                "-, false, -, http://a.test/, a b, 400",
                "-, false, -, http://a.test:0/, a.test, 400",
            })
    void settlesOnOneDestinationOrRefuses(
            @Nullable String tunnel,
            boolean secure,
            @Nullable String sni,
            String target,
            @Nullable String host,
            String expected)
            throws RefusedException {
        Ingress ingress = ingress(tunnel, secure, sni);
        HeaderBlock headers = headers(host);

        if (expected.length() == 3) {
            RefusedException refused = catchThrowableOfType(
                    RefusedException.class,
                    () -> DestinationResolver.resolve(ingress, RequestTarget.parse("GET", target), headers, true));
            assertThat(refused.refusal().status()).isEqualTo(Integer.parseInt(expected));
            return;
        }
        Destination destination =
                DestinationResolver.resolve(ingress, RequestTarget.parse("GET", target), headers, true);
        assertThat(destination.toString()).isEqualTo(expected);
        assertThat(destination.secure()).isEqualTo(secure);
    }

    @Test
    void anAbsoluteFormReplacesHostInItsPlace() throws RefusedException {
        HeaderBlock headers = new HeaderBlock();
        headers.append("Accept", "*/*").append("HOST", "b.test").append("X-Last", "1");

        DestinationResolver.resolve(
                Ingress.plain(ListenerKind.HTTP), RequestTarget.parse("GET", "http://a.test:81/x"), headers, true);

        assertThat(headers.name(1)).isEqualTo("HOST");
        assertThat(headers.value(1)).isEqualTo("a.test:81");
        assertThat(headers.size()).isEqualTo(3);
    }

    @Test
    void anHttp10RequestMayNameItsHostInTheTargetAlone() throws RefusedException {
        HeaderBlock headers = new HeaderBlock();

        Destination destination = DestinationResolver.resolve(
                Ingress.plain(ListenerKind.HTTP), RequestTarget.parse("GET", "http://a.test/x"), headers, false);

        assertThat(destination.host()).isEqualTo("a.test");
        assertThat(headers.first("Host")).isEqualTo("a.test");
    }

    @Test
    void theOriginalPortOfARedirectedConnectionCounts() throws RefusedException {
        Ingress redirected = Ingress.plain(ListenerKind.HTTP).redirected(new InetSocketAddress("192.0.2.1", 8080));

        Destination destination =
                DestinationResolver.resolve(redirected, RequestTarget.parse("GET", "/"), headers("a.test"), true);

        assertThat(destination.port()).isEqualTo(8080);
    }

    @Test
    void aRedirectedRequestThatNamesNobodyGoesWhereItWasGoing() throws RefusedException {
        Ingress redirected = Ingress.plain(ListenerKind.HTTP).redirected(new InetSocketAddress("192.0.2.1", 8080));
        HeaderBlock headers = new HeaderBlock();

        Destination destination =
                DestinationResolver.resolve(redirected, RequestTarget.parse("GET", "/"), headers, false);

        assertThat(destination).hasToString("192.0.2.1:8080");
        assertThat(destination.literal()).isTrue();
        assertThat(headers.first("Host")).isEqualTo("192.0.2.1:8080");
    }

    @ParameterizedTest
    @CsvSource({
        "a.test, a.test:443",
        "a.test:80, a.test:80",
        "A.TEST.:443, a.test:443",
        "192.0.2.1:443, 192.0.2.1:443",
        "[2001:db8::1]:443, [2001:db8::1]:443",
        "a.test:0, 400",
        "a.test:, 400",
        "a.test/x, 400",
        "u@a.test:443, 400",
        "http://a.test, 400"
    })
    void connectNamesAnAuthorityWithPort443AsDefault(String target, String expected) throws RefusedException {
        if (expected.equals("400")) {
            RefusedException refused =
                    catchThrowableOfType(RefusedException.class, () -> DestinationResolver.connectTarget(target));
            assertThat(refused.refusal().status()).isEqualTo(400);
        } else {
            assertThat(DestinationResolver.connectTarget(target).toString()).isEqualTo(expected);
        }
    }

    private static Ingress ingress(@Nullable String tunnel, boolean secure, @Nullable String sni) {
        Ingress ingress = Ingress.plain(tunnel == null ? ListenerKind.HTTP : ListenerKind.TUNNEL);
        if (tunnel != null) {
            ingress = ingress.through(Destinations.fromAuthority(tunnel, 443, true));
        }
        return secure ? ingress.withTls(sni) : ingress;
    }

    private static HeaderBlock headers(@Nullable String host) {
        HeaderBlock headers = new HeaderBlock();
        if (host != null) {
            headers.append("Host", host);
        }
        return headers;
    }
}
