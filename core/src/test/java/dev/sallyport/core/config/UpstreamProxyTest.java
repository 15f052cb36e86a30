package dev.sallyport.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.spi.Destination;
import dev.sallyport.toolkit.match.Destinations;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code proxy.upstream_proxy} in the file: docs/spec/decisions.md, section 17. */
class UpstreamProxyTest {

    private static String block(String fields) {
        return Load.VALID + "proxy:\n  upstream_proxy: {" + fields + "}\n";
    }

    private static UpstreamProxy read(String fields) {
        return Load.config(block(fields)).proxy().upstreamProxy();
    }

    @ParameterizedTest
    @CsvSource({
        "proxy.test, http://proxy.test:80,,",
        "proxy.test:3128, http://proxy.test:3128,,",
        "HTTP://Proxy.Test:3128/, http://proxy.test:3128,,",
        "https://proxy.test, https://proxy.test:443,,",
        "socks5://192.0.2.1, socks5://192.0.2.1:1080,,",
        "socks5h://[2001:db8::1]:99, socks5h://[2001:db8::1]:99,,",
        "http://ann@proxy.test, http://ann@proxy.test:80, ann,",
        "http://a%3Ab:p%40s+s@proxy.test:1, http://proxy.test:1, a:b, p@s+s"
    })
    void aUrlIsRead(String text, String shown, String user, String password) {
        ProxyUrl url = read("http_proxy: \"" + text + "\"").httpProxy();

        assertThat(url.toString()).isEqualTo(shown.replace("ann@", ""));
        assertThat(url.user()).isEqualTo(user);
        assertThat(url.password()).isEqualTo(password);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ftp://proxy.test",
                "http://",
                "http://proxy.test:0",
                "http://s3cret@proxy.test:x",
                "http://a b",
                "http://proxy.test/path",
                "http://s3cret%zz@proxy.test"
            })
    void aUrlThatIsNoneIsToldWithoutRepeatingIt(String text) {
        assertThat(Load.problems(block("https_proxy: \"" + text + "\"")))
                .singleElement()
                .asString()
                .startsWith("f.yaml:4:33: /proxy/upstream_proxy/https_proxy: ")
                .doesNotContain("s3cret");
    }

    @Test
    void theSchemeOfSocksSaysWhoResolves() {
        assertThat(Load.problems(block("http_proxy: \"socks5://p.test\", resolve: remote")))
                .singleElement()
                .asString()
                .contains("the scheme contradicts resolve (expected: socks5h, or resolve: local)");
        assertThat(Load.problems(block("http_proxy: \"socks5h://p.test\", resolve: local")))
                .singleElement()
                .asString()
                .contains("(expected: socks5, or resolve: remote)");
        UpstreamProxy section = read("http_proxy: p.test, https_proxy: \"socks5h://p.test\"");
        assertThat(section.isRemote(section.httpProxy())).isFalse();
        assertThat(section.isRemote(section.httpsProxy())).isTrue();
    }

    @Test
    void aPasswordHasAUserAndBothAreReadHere() {
        assertThat(Load.problems(block("http_proxy: p.test, password: {type: env, var: A}")))
                .anyMatch(line -> line.contains("/password: a password without a user"));
        // The sources of the tests are not said to be local.
        assertThat(Load.problems(block("http_proxy: p.test, username: {type: env, var: A}")))
                .singleElement()
                .asString()
                .contains("/proxy/upstream_proxy/username: a source that is read over the network");
    }

    @Test
    void whatIsDoubtfulIsTold() {
        assertThat(warnings("http_proxy: p.test, https_proxy: p.test")).isEmpty();
        assertThat(warnings("http_proxy: p.test, resolve: remote"))
                .anyMatch(line -> line.contains("/http_proxy: the parent resolves names"))
                .anyMatch(line -> line.contains("/https_proxy: not set"));
        assertThat(warnings("https_proxy: p.test")).anyMatch(line -> line.contains("/http_proxy: not set"));
    }

    private static List<String> warnings(String fields) {
        return Load.result(block(fields), Map.of()).warnings().stream()
                .map(ConfigProblem::toString)
                .filter(line -> line.contains("upstream_proxy"))
                .toList();
    }

    @Test
    void variablesOverride() {
        Map<String, String> environment = Map.of(
                "HTTP_PROXY", "one.test", "https_proxy", "two.test", "HTTPS_PROXY", "three.test", "NO_PROXY", "");
        UpstreamProxy section = Load.config(block("http_proxy: p.test, no_proxy: a.test"), environment)
                .proxy()
                .upstreamProxy();
        assertThat(section.httpProxy()).hasToString("http://one.test:80");
        assertThat(section.httpsProxy()).hasToString("http://three.test:80");
        assertThat(section.noProxy()).isEqualTo("a.test");
        assertThat(Load.config(Load.VALID, Map.of("NO_PROXY", "a.test")).proxy().upstreamProxy())
                .isNull();
        assertThat(Load.problems(Load.VALID, Map.of("HTTP_PROXY", "ftp://s3cret")))
                .singleElement()
                .asString()
                .startsWith("environment:HTTP_PROXY: /proxy/upstream_proxy/http_proxy: ")
                .doesNotContain("s3cret");
    }

    @ParameterizedTest
    @CsvSource({
        "example.com, example.com, 443, true",
        "example.com, a.b.example.com, 443, true",
        "example.com, badexample.com, 443, false",
        ".example.com, example.com, 443, false",
        ".example.com, a.example.com, 443, true",
        "*.example.com, a.example.com, 443, true",
        "*.example.com, example.com, 443, false",
        "example.com:8443, example.com, 8443, true",
        "example.com:8443, example.com, 443, false",
        "10.0.0.0/8, 10.1.2.3, 80, true",
        "10.0.0.0/8, 11.1.2.3, 80, false",
        "192.0.2.1, 192.0.2.1, 80, true",
        "192.0.2.1:81, 192.0.2.1, 80, false",
        "[2001:db8::1]:80, [2001:db8::1], 80, true",
        "2001:db8::/32, [2001:db8::1], 80, true",
        "0.0.0.0/0, example.com, 80, false",
        "*, anything.test, 80, true",
        "'a.test, example.com', example.com, 80, true"
    })
    void whatIsExempt(String list, String host, int port, boolean exempt) {
        Destination destination = Destinations.parse(host, port, false);

        assertThat(NoProxy.of(list).matches(destination)).isEqualTo(exempt);
        assertThat(Load.problems(block("http_proxy: p.test, no_proxy: \"" + list + "\"")))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a..b", "10.0.0.0/99", "example.com:x", "http://a.test"})
    void whatIsNoEntryIsTold(String entry) {
        assertThat(Load.problems(block("http_proxy: p.test, no_proxy: \"ok.test," + entry + "\"")))
                .singleElement()
                .asString()
                .contains("/no_proxy: no name, address or range: \"" + entry + "\"");
    }
}
