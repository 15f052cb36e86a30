package dev.sallyport.it.dns;

import static dev.sallyport.testsupport.DnsClient.ask;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.DnsClient.Message;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/spec/decisions.md, section 11: what the proxy answers itself. */
class DnsAnswersTest {

    private static final String SOA = "any.example. 60 SOA ns.sallyport.internal. hostmaster.sallyport.internal. 60";

    @TempDir
    Path folder;

    /** Over the transports, A is {@code proxy_ip} with a TTL of 60. */
    @ParameterizedTest
    @ValueSource(strings = {"udp", "tcp"})
    void answersEveryNameWithTheProxysAddress(String transport) throws Exception {
        try (Steering dns = Steering.start(folder, "proxy_ip: 192.0.2.1")) {
            // when
            Message answer =
                    transport.equals("udp") ? dns.ask("any.example", "A") : dns.askOverTcp(ask("any.example", "A"));

            // then
            assertThat(answer.answers).hasToString("[any.example. 60 A 192.0.2.1]");
            assertThat(answer.rcode()).isZero();
            assertThat(answer.flags()).as("QR, AA, RD, RA").isEqualTo(0x8580);
            assertThat(answer.authorities).isEmpty();
            assertThat(answer.additionals).isEmpty();
        }
    }

    /**
     * The table of docs/spec/decisions.md, section 11: the configured addresses, the type that is asked for, and the
     * answer.
     */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            192.0.2.1   |             | A         | A 192.0.2.1
            192.0.2.1   |             | AAAA      | NODATA
            192.0.2.1   | 2001:db8::1 | A         | A 192.0.2.1
            192.0.2.1   | 2001:db8::1 | AAAA      | AAAA 20010db8000000000000000000000001
            2001:db8::1 |             | A         | NODATA
            2001:db8::1 |             | AAAA      | AAAA 20010db8000000000000000000000001
            192.0.2.1   |             | HTTPS     | NODATA
            192.0.2.1   | 2001:db8::1 | HTTPS     | NODATA
            192.0.2.1   |             | SVCB      | NODATA
            192.0.2.1   |             | CNAME     | NODATA
            192.0.2.1   |             | MX        | NODATA
            192.0.2.1   |             | TXT       | NODATA
            192.0.2.1   |             | PTR       | NODATA
            192.0.2.1   |             | NS        | NODATA
            192.0.2.1   |             | SOA       | NODATA
            192.0.2.1   |             | SRV       | NODATA
            192.0.2.1   |             | NAPTR     | NODATA
            192.0.2.1   |             | CAA       | NODATA
            192.0.2.1   |             | ANY       | NODATA
            192.0.2.1   |             | TYPE65400 | NODATA
            """)
    void answersByType(String proxyIp, String proxyIp6, String type, String expected) throws Exception {
        String six = proxyIp6 == null ? "enabled: true" : "proxy_ip6: " + proxyIp6;
        try (Steering dns = Steering.start(folder, "proxy_ip: " + proxyIp, six)) {
            Message answer = dns.ask("any.example", type);

            assertThat(answer.rcode()).isZero();
            if (expected.equals("NODATA")) {
                assertThat(answer.answers).isEmpty();
                assertThat(answer.authorities).as("RFC 2308, 5").hasToString("[" + SOA + "]");
            } else {
                assertThat(answer.data()).containsExactly(expected);
                assertThat(answer.authorities).isEmpty();
            }
        }
    }

    @Test
    void repeatsIdentifierAndQuestionAsTheyCame() throws Exception {
        try (Steering dns =
                Steering.start(folder, "proxy_ip: 192.0.2.1", "records: [{name: a.Test, type: A, value: 192.0.2.9}]")) {
            // when
            Message answer = dns.ask(ask("aNy.ExAmPlE", "A").id(0xBEEF));
            Message fixed = dns.ask(ask("A.tEST", "A").id(0));

            // then
            assertThat(answer.id()).isEqualTo(0xBEEF);
            assertThat(answer.question).isEqualTo("aNy.ExAmPlE. A 1");
            assertThat(answer.answers).hasToString("[aNy.ExAmPlE. 60 A 192.0.2.1]");
            assertThat(fixed.id()).isZero();
            assertThat(fixed.answers).hasToString("[A.tEST. 60 A 192.0.2.9]");
        }
    }

    @Test
    void copiesRecursionDesiredAndCheckingDisabledOnly() throws Exception {
        try (Steering dns = Steering.start(folder, "proxy_ip: 192.0.2.1")) {
            assertThat(dns.ask(ask("x.example", "A").flags(0)).flags()).isEqualTo(0x8480);
            assertThat(dns.ask(ask("x.example", "A").flags(0x0110)).flags()).isEqualTo(0x8590);
            // AA, TC, RA, Z, AD and an rcode in a query mean nothing
            assertThat(dns.ask(ask("x.example", "A").flags(0x06E5)).flags()).isEqualTo(0x8480);
        }
    }

    @Test
    void answersNamesThatNoHostCanHave() throws Exception {
        try (Steering dns = Steering.start(folder, "proxy_ip: 192.0.2.1")) {
            String longest = String.join(".", "a".repeat(63), "b".repeat(63), "c".repeat(63), "d".repeat(61));
            for (String name :
                    List.of("", "_dmarc.example", "My Printer.local", "*.example", "\u00FF\0.example", longest)) {
                assertThat(dns.ask(name, "A").data()).as(name).containsExactly("A 192.0.2.1");
            }
        }
    }

    /** docs/spec/decisions.md, section 20: names with a meaning of their own, which are not passed on either. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            localhost                  | A    | A 127.0.0.1
            LocalHost                  | AAAA | AAAA 00000000000000000000000000000001
            localhost                  | MX   | NODATA
            localhost                  | ANY  | A 127.0.0.1, AAAA 00000000000000000000000000000001
            a.b.localhost              | A    | A 127.0.0.1
            notlocalhost               | A    | A 192.0.2.1
            localhost.example          | A    | A 192.0.2.1
            invalid                    | A    | NXDOMAIN
            a.INVALID                  | AAAA | NXDOMAIN
            valid.invalid              | TXT  | NXDOMAIN
            notinvalid                 | A    | A 192.0.2.1
            use-application-dns.net    | A    | NXDOMAIN
            use-application-dns.net    | AAAA | NXDOMAIN
            a.use-application-dns.net  | A    | A 192.0.2.1
            1.0.0.127.in-addr.arpa     | PTR  | PTR localhost.
            9.8.7.127.in-addr.arpa     | PTR  | PTR localhost.
            1.0.0.127.in-addr.arpa     | TXT  | NODATA
            127.in-addr.arpa           | PTR  | NODATA
            1.2.0.192.in-addr.arpa     | PTR  | NODATA
            to-loopback.test           | A    | CNAME b.localhost., A 127.0.0.1
            to-nowhere.test            | A    | CNAME a.invalid., NXDOMAIN
            fixed.localhost            | A    | A 192.0.2.7
            """)
    void answersSpecialNames(String name, String type, String expected) throws Exception {
        try (Steering dns = Steering.start(
                folder,
                "proxy_ip: 192.0.2.1",
                "passthrough: ['*.invalid', '*.localhost', 'localhost', use-application-dns.net]",
                "upstream_resolver: 127.0.0.1:9",
                "records:",
                "- {name: fixed.localhost, type: A, value: 192.0.2.7}",
                "- {name: to-loopback.test, type: CNAME, value: b.localhost}",
                "- {name: to-nowhere.test, type: CNAME, value: a.invalid}")) {
            Message answer = dns.ask(name, type);

            assertThat(answer.rcode()).isEqualTo(expected.endsWith("NXDOMAIN") ? 3 : 0);
            String data = String.join(", ", answer.data());
            boolean negative = expected.endsWith("NODATA") || expected.endsWith("NXDOMAIN");
            assertThat(data).isEqualTo(negative ? expected.replaceAll("(, )?(NODATA|NXDOMAIN)$", "") : expected);
            assertThat(answer.authorities).as("RFC 2308").hasSize(negative ? 1 : 0);
        }
    }

    @Test
    void pointsFromTheLoopbackAddressOfIpv6() throws Exception {
        try (Steering dns = Steering.start(folder, "proxy_ip: 192.0.2.1")) {
            assertThat(dns.ask("1." + "0.".repeat(31) + "ip6.arpa", "PTR").data())
                    .containsExactly("PTR localhost.");
            assertThat(dns.ask("2." + "0.".repeat(31) + "ip6.arpa", "PTR").data())
                    .isEmpty();
        }
    }

    /** Static records win; names are compared without case. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            one.test     | A     | A 192.0.2.7
            ONE.Test     | A     | A 192.0.2.7
            one.test     | AAAA  | NODATA
            one.test     | HTTPS | NODATA
            one.test     | ANY   | A 192.0.2.7
            sub.one.test | A     | A 192.0.2.1
            two.test     | A     | A 192.0.2.8, A 192.0.2.9
            alias.test   | A     | CNAME one.test., A 192.0.2.7
            alias.test   | AAAA  | CNAME one.test., NODATA
            alias.test   | CNAME | CNAME one.test.
            alias.test   | ANY   | CNAME one.test.
            chain.test   | A     | CNAME alias.test., CNAME one.test., A 192.0.2.7
            out.test     | A     | CNAME elsewhere.test., A 192.0.2.1
            out.test     | AAAA  | CNAME elsewhere.test., NODATA
            out.test     | HTTPS | CNAME elsewhere.test., NODATA
            """)
    void answersStaticRecords(String name, String type, String expected) throws Exception {
        try (Steering dns = Steering.start(
                folder,
                "proxy_ip: 192.0.2.1",
                "records:",
                "- {name: one.test, type: A, value: 192.0.2.7}",
                "- {name: two.test, type: A, value: 192.0.2.8}",
                "- {name: Two.Test., type: A, value: 192.0.2.9}",
                "- {name: alias.test, type: CNAME, value: one.test}",
                "- {name: chain.test, type: CNAME, value: ALIAS.test}",
                "- {name: out.test, type: CNAME, value: elsewhere.test}")) {
            Message answer = dns.ask(name, type);

            List<String> wanted = Arrays.asList(expected.split(", "));
            assertThat(answer.data())
                    .containsExactlyElementsOf(wanted.stream()
                            .filter(line -> !line.equals("NODATA"))
                            .toList());
            assertThat(answer.authorities).hasSize(wanted.contains("NODATA") ? 1 : 0);
            assertThat(answer.answers).allMatch(record -> record.ttl() == 60);
        }
    }

    @Test
    void namesTheOwnerOfEveryRecordOfAChain() throws Exception {
        try (Steering dns = Steering.start(
                folder,
                "proxy_ip: 192.0.2.1",
                "records: [{name: a.test, type: CNAME, value: b.test}, {name: b.test, type: CNAME, value: c.example}]")) {
            assertThat(dns.ask("a.test", "A").answers)
                    .hasToString("[a.test. 60 CNAME b.test., b.test. 60 CNAME c.example., c.example. 60 A 192.0.2.1]");
            assertThat(dns.ask("a.test", "AAAA").authorities.get(0).owner()).isEqualTo("c.example.");
        }
    }
}
