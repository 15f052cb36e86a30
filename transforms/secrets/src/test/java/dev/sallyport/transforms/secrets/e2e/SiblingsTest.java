package dev.sallyport.transforms.secrets.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.audit.AuditSinks;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.testkit.FakeSecrets;
import dev.sallyport.testsupport.Http2Message;
import dev.sallyport.testsupport.Http2Peer;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestDnsServer;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import dev.sallyport.transforms.secrets.SecretsFactory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A value that is stored at one origin and fetched at another one that has the same store. */
class SiblingsTest {

    /** The origins: three addresses with two ports each, and one with TLS at the first address. */
    private static final int ADDRESSES = 3;

    private static final int SECOND_PORT = ADDRESSES;
    private static final int TLS = 2 * ADDRESSES;

    /**
     * Where a value is stored and fetched.
     *
     * @param rules of its entry
     * @param stored a host, and the number of the origin that it leads to
     * @param fetched the same
     */
    private record Pair(String rules, String stored, String fetched) {}

    private static final List<Pair> SIBLINGS = List.of(
            // another port
            new Pair("{host: api.p0.com}", "api.p0.com 0", "api.p0.com 3"),
            new Pair("{host: p1.internal}", "p1.internal 1", "p1.internal 4"),
            new Pair("{host: 127.0.0.2}", "127.0.0.2 0", "127.0.0.2 3"),
            // another scheme
            new Pair("{host: api.t3.com}", "api.t3.com 0", "api.t3.com 6"),
            new Pair("{host: api.t4.com}", "api.t4.com 6", "api.t4.com 0"),
            new Pair("{host: api.t5.com}", "api.t5.com 6", "www.t5.com 1"),
            // another host of the same domain
            new Pair("{host: api.d6.com}", "api.d6.com 0", "www.d6.com 1"),
            new Pair("{host: api.d7.com}", "api.d7.com 0", "d7.com 1"),
            new Pair("{host: d8.co.uk}", "d8.co.uk 0", "a.b.c.d8.co.uk 4"),
            new Pair("{host: api.d9.org.br}", "api.d9.org.br 1", "cdn.d9.org.br 2"),
            new Pair("{host: me.github.io}", "me.github.io 0", "pages.me.github.io 1"),
            new Pair("{host: api.d11.internal}", "api.d11.internal 0", "www.d11.internal 1"),
            new Pair("{host: xn--bcher-kva.d12.com}", "xn--bcher-kva.d12.com 0", "d12.com 5"),
            // the same address
            new Pair("{host: api.a13.com}", "api.a13.com 1", "127.0.0.3 1"),
            new Pair("{host: 127.0.0.4}", "127.0.0.4 2", "alias.a14.net 5"),
            new Pair("{host: api.a15.com}", "api.a15.com 2", "other.a15b.net 2"),
            // inside the rules
            new Pair("{host: r16.com}, {host: r16b.org}", "r16.com 0", "r16b.org 1"),
            new Pair("{host: '*.r17.com'}, {host: '*.r17.net'}", "x.r17.com 0", "y.r17.net 4"),
            new Pair("{cidr: 127.0.0.0/29}", "127.0.0.2 0", "127.0.0.4 5"),
            new Pair("", "r19.com 0", "anywhere.r19b.org 2"));

    private static final List<Pair> STRANGERS = List.of(
            new Pair("{host: api.s0.com}", "api.s0.com 0", "api.s0.net 1"),
            new Pair("{host: s1.co.uk}", "s1.co.uk 0", "s1b.co.uk 1"),
            new Pair("{host: s2.github.io}", "s2.github.io 0", "s2b.github.io 1"),
            new Pair("{host: 127.0.0.2}", "127.0.0.2 0", "127.0.0.3 1"));

    @TempDir
    Path folder;

    private final Map<String, String> store = new ConcurrentHashMap<>();
    private final List<TestOrigin> origins = new ArrayList<>();
    private final List<Pair> pairs = new ArrayList<>(SIBLINGS);
    private TestCertificates certificates;
    private TestDnsServer dns;
    private EgressProxy proxy;

    @BeforeEach
    void start() throws Exception {
        pairs.addAll(STRANGERS);
        dns = new TestDnsServer();
        pairs.forEach(pair -> List.of(pair.stored, pair.fetched).forEach(place -> {
            String[] parts = place.split(" ", -1);
            dns.address(parts[0], address(Integer.parseInt(parts[1])), 60);
        }));
        certificates = new TestCertificates(folder, "api.t3.com", "api.t4.com", "api.t5.com");
        for (int i = 0; i <= TLS; i++) {
            origins.add(TestOrigin.at(
                    InetAddress.getByName(address(i)), i == TLS ? certificates.origin : null, this::serve));
        }
        FakeSecrets values = new FakeSecrets();
        StringBuilder entries = new StringBuilder();
        for (int i = 0; i < pairs.size(); i++) {
            values.set("KEY" + i, value(i));
            entries.append("    - {source: {type: fake, name: KEY%d}, replace: {proxy_value: %s}, rules: [%s]}\n"
                    .formatted(i, placeholder(i), pairs.get(i).rules));
        }
        proxy = EgressProxy.builder()
                .configText("test.yaml", """
                        dns: {enabled: false, upstream_resolver: "127.0.0.1:%d"}
                        proxy: {http_listen: "127.0.0.1:0", https_listen: disabled, tunnel_listen: "127.0.0.1:0", upstream_deny_cidrs: [], redact_responses: swapped}
                        tls: {ca_cert: "%s", ca_key: "%s", upstream_ca: "%s"}
                        metrics: {listen: disabled}
                        transforms:
                        - name: secrets
                          config:
                            secrets:
                        %s
                        """.formatted(
                                dns.address().getPort(),
                                certificates.caCert,
                                certificates.caKey,
                                certificates.originPem,
                                entries.toString().stripTrailing()))
                .catalog(PluginCatalog.of(List.of(new SecretsFactory()), List.of(values)))
                .auditSink(AuditSinks.stream(new ByteArrayOutputStream()))
                .build();
        proxy.start();
    }

    @AfterEach
    void end() throws Exception {
        proxy.close();
        dns.close();
        for (TestOrigin origin : origins) {
            origin.close();
        }
    }

    private static String address(int origin) {
        return "127.0.0." + (2 + (origin == TLS ? 0 : origin % SECOND_PORT));
    }

    private static String value(int pair) {
        return "k%03dr34lvalueofthisnumber".formatted(pair);
    }

    private static String placeholder(int pair) {
        return "PLACEHOLDER-%03d".formatted(pair);
    }

    /** Keeps a field, and returns what is kept. */
    private void serve(Wire peer) throws Exception {
        if (!peer.peek(3).equals("PRI")) {
            TestOrigin.always(request ->
                            TestOrigin.ok(answer(request.startLine().split(" ", -1)[1], request.field("X-Store"))))
                    .serve(peer);
            return;
        }
        Http2Peer origin = Http2Peer.accept(peer);
        while (true) {
            Http2Message request = origin.message();
            if (request.sections().isEmpty()) {
                return;
            }
            String lines =
                    String.join("\r\n", Http2Peer.lines(request.sections().getFirst()));
            String body = answer(Wire.field("\r\n" + lines, ":path"), Wire.field("\r\n" + lines, "x-store"));
            origin.ok(request.stream(), body);
        }
    }

    private String answer(String path, String field) {
        if (!field.isEmpty()) {
            store.put(path, field);
        }
        return "<" + store.getOrDefault(path, "") + ">";
    }

    private String ask(boolean http2, int pair, String place, boolean stores) throws IOException {
        String[] parts = place.split(" ", -1);
        int number = Integer.parseInt(parts[1]);
        String authority = parts[0] + ":" + origins.get(number).port();
        String[] more = stores ? new String[] {"x-store", placeholder(pair)} : new String[0];
        if (number != TLS) {
            try (Wire client = Wire.to(proxy.httpAddress())) {
                return http2 ? http2(client, authority, pair, more) : http1(client, authority, pair, more);
            }
        }
        try (Wire tunnel = Wire.to(proxy.tunnelAddress())) {
            tunnel.send(Wire.head("CONNECT " + authority + " HTTP/1.1", "Host: " + authority));
            assertThat(tunnel.readHead()).contains(" 200");
            return http1(tunnel.tls(certificates.client, parts[0]), authority, pair, more);
        }
    }

    private static String http1(Wire client, String authority, int pair, String... more) throws IOException {
        List<String> lines = new ArrayList<>(List.of("GET /" + pair + " HTTP/1.1", "Host: " + authority));
        if (more.length > 0) {
            lines.add(more[0] + ": " + more[1]);
        }
        return client.send(Wire.head(lines.toArray(new String[0]))).response().body();
    }

    private static String http2(Wire client, String authority, int pair, String... more) throws IOException {
        List<String> lines = new ArrayList<>(
                List.of(":method", "GET", ":scheme", "http", ":path", "/" + pair, ":authority", authority));
        lines.addAll(List.of(more));
        Http2Peer peer = Http2Peer.connect(client);
        peer.headers(1, true, lines.toArray(new String[0]));
        return peer.message().body();
    }

    private void storeAndFetch(boolean http2) throws Exception {
        for (int i = 0; i < pairs.size(); i++) {
            Pair pair = pairs.get(i);
            store.put("/" + i, value(i));
            boolean sibling = i < SIBLINGS.size();
            assertThat(ask(http2, i, pair.fetched, false))
                    .as("before it was sent: %s", pair)
                    .isEqualTo("<" + value(i) + ">");
            store.clear();

            assertThat(ask(http2, i, pair.stored, true)).isEqualTo("<" + placeholder(i) + ">");
            assertThat(store.get("/" + i)).isEqualTo(value(i));
            assertThat(ask(http2, i, pair.fetched, false))
                    .as("%s", pair)
                    .isEqualTo("<" + (sibling ? placeholder(i) : value(i)) + ">");
        }
    }

    @Test
    void itComesBackFromNoneOverHttp1() throws Exception {
        storeAndFetch(false);
    }

    @Test
    void itComesBackFromNoneOverHttp2() throws Exception {
        storeAndFetch(true);
    }
}
