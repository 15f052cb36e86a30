package dev.sallyport.it;

import static dev.sallyport.testsupport.Wire.head;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.testsupport.Http2Peer;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestOrigin;
import dev.sallyport.testsupport.Wire;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Attempts of two workloads of one proxy to get each other's secret behind the placeholder that both have. The origins keep
 * what each attempt has brought them.
 */
public final class CrossAttempts implements AutoCloseable {

    private final TestCertificates certificates;
    private final Function<String, String> brought;
    private final String placeholder;
    private final Map<String, String> arrived = new ConcurrentHashMap<>();
    private final AtomicInteger attempts = new AtomicInteger();
    private final TestOrigin plain;
    private final TestOrigin secure;
    private TestProxy proxy;

    /**
     * A workload.
     *
     * @param value what its placeholder stands for
     */
    public record Tenant(String user, String password, String value) {

        String credentials() {
            return Tenants.basic(user, password);
        }
    }

    /** @param brought where a request has the placeholder, which is in its path and in {@code X-Key} */
    public CrossAttempts(TestCertificates certificates, Function<String, String> brought) throws Exception {
        this(certificates, brought, Tenants.PLACEHOLDER);
    }

    /** @param placeholder that both have */
    public CrossAttempts(TestCertificates certificates, Function<String, String> brought, String placeholder)
            throws Exception {
        this.certificates = certificates;
        this.brought = brought;
        this.placeholder = placeholder;
        this.plain = TestOrigin.of(this::keep);
        this.secure = TestOrigin.tls(certificates.origin, this::keep);
    }

    /** What the last part of a request's path is. */
    public static String path(String head) {
        return head.substring(head.indexOf('/') + 1, head.indexOf(" HTTP/"));
    }

    /** Through which proxy. */
    public void through(TestProxy other) {
        proxy = other;
    }

    @Override
    public void close() throws IOException {
        plain.close();
        secure.close();
    }

    private void keep(Wire peer) throws Exception {
        while (true) {
            String head = peer.readHead();
            arrived.put(Wire.field(head, "X-Attempt"), brought.apply(head));
            peer.send(TestOrigin.ok("ok"));
        }
    }

    public TestOrigin plain() {
        return plain;
    }

    public TestOrigin secure() {
        return secure;
    }

    /** How many there have been. */
    public int count() {
        return attempts.get();
    }

    /** Begins another one. */
    public String next() {
        return Integer.toString(attempts.incrementAndGet());
    }

    public String get(TestOrigin to, boolean absolute, String attempt, String... lines) {
        String host = (to == secure ? "localhost:" : "127.0.0.1:") + to.port();
        return "GET " + (absolute ? "http://" + host : "") + "/" + placeholder + " HTTP/1.1\r\nHost: " + host
                + "\r\nX-Attempt: " + attempt + "\r\nX-Key: " + placeholder + "\r\n"
                + (lines.length == 0 ? "" : Wire.lines(lines)) + "\r\n";
    }

    /** What arrived is the tenant's own value. */
    public void assertOwn(String attempt, Tenant tenant) {
        assertArrived(attempt, tenant.value());
    }

    public void assertArrived(String attempt, String value) {
        assertThat(arrived).as("attempt " + attempt).containsEntry(attempt, value);
    }

    public void assertNothing(String attempt) {
        assertThat(arrived).as("attempt " + attempt).doesNotContainKey(attempt);
    }

    /** What arrived, if anything did. */
    public String arrived(String attempt) {
        return arrived.getOrDefault(attempt, "");
    }

    public Wire connected(Tenant tenant, TestOrigin to) throws Exception {
        Wire client = proxy.tunnel();
        String host = (to == secure ? "localhost:" : "127.0.0.1:") + to.port();
        client.send(head("CONNECT " + host + " HTTP/1.1", "Host: x", tenant.credentials()));
        assertThat(client.readHead()).startsWith("HTTP/1.1 200 ");
        return client;
    }

    public Wire socks(Tenant tenant, TestOrigin to) throws Exception {
        byte[] name = tenant.user().getBytes(StandardCharsets.UTF_8);
        byte[] secret = tenant.password().getBytes(StandardCharsets.UTF_8);
        Wire client = proxy.tunnel().send("\5\1\2");
        assertThat(client.read(2)).isEqualTo("\5\2");
        client.send(new byte[] {1, (byte) name.length}).send(name).send(new byte[] {(byte) secret.length});
        client.send(secret);
        assertThat(client.read(2)).isEqualTo("\1\0");
        byte[] target = "localhost".getBytes(StandardCharsets.UTF_8);
        client.send(new byte[] {5, 1, 0, 3, (byte) target.length}).send(target);
        client.send(new byte[] {(byte) (to.port() >> 8), (byte) to.port()});
        assertThat(client.read(10)).startsWith("\5\0");
        return client;
    }

    /**
     * Seventeen attempts.
     *
     * @param nobody what the placeholder of somebody without a name stands for; empty when nobody is refused
     */
    public void between(Tenant own, Tenant other, String nobody) throws Exception {
        spoofedUsers(own, other);
        withOwnNames(own, other, nobody);
    }

    /** Fifteen of them, in which nobody gives a name that is another's. */
    public void withOwnNames(Tenant own, Tenant other, String nobody) throws Exception {
        spoofedHeaders(own, other);
        reusedConnections(own, other, nobody);
        credentialsInside(own, other);
        http2Streams(own, other);
        resumedSessions(own, other);
        socksAndConnect(own, other);
    }

    /** Another's name with one's own password, in both ways to say it. */
    private void spoofedUsers(Tenant own, Tenant other) throws Exception {
        String attempt = next();
        try (Wire client = proxy.tunnel()) {
            String lie = Tenants.basic(other.user(), own.password());
            assertThat(client.send(get(plain, true, attempt, lie)).message().status())
                    .isEqualTo(407);
        }
        assertNothing(attempt);
        String named = next();
        try (Wire client = proxy.tunnel()) {
            String posing = Tenants.basic("user:" + other.user(), own.password());
            assertThat(client.send(get(plain, true, named, posing)).message().status())
                    .isEqualTo(407);
        }
        assertNothing(named);
    }

    private void spoofedHeaders(Tenant own, Tenant other) throws Exception {
        String attempt = next();
        try (Wire client = proxy.tunnel()) {
            client.send(get(
                    plain,
                    true,
                    attempt,
                    own.credentials(),
                    "X-Forwarded-For: 127.0.0.8",
                    "Forwarded: for=127.0.0.8",
                    "X-Real-IP: 127.0.0.8",
                    "X-Workload: " + other.user(),
                    other.credentials().replace("Proxy-Authorization", "Authorization")));
            assertThat(client.message().status()).isEqualTo(200);
        }
        assertOwn(attempt, own);
        String twice = next();
        try (Wire client = proxy.tunnel()) {
            client.send(get(plain, true, twice, own.credentials(), other.credentials()));
            assertThat(client.message().status()).isEqualTo(407);
        }
        assertNothing(twice);
    }

    /** Both on one connection to the proxy, by turns, and somebody without a name last. */
    private void reusedConnections(Tenant own, Tenant other, String nobody) throws Exception {
        try (Wire client = proxy.tunnel()) {
            for (Tenant tenant : new Tenant[] {own, other, own}) {
                String attempt = next();
                client.send(get(plain, true, attempt, tenant.credentials()));
                assertThat(client.message().status()).isEqualTo(200);
                assertOwn(attempt, tenant);
            }
            String attempt = next();
            client.send(get(plain, true, attempt));
            assertThat(client.message().status()).isEqualTo(nobody.isEmpty() ? 403 : 200);
            if (nobody.isEmpty()) {
                assertNothing(attempt);
            } else {
                assertArrived(attempt, nobody);
            }
        }
    }

    /** The other's credentials within one's own tunnel mean nothing. */
    private void credentialsInside(Tenant own, Tenant other) throws Exception {
        String attempt = next();
        try (Wire client = connected(own, plain)) {
            client.send(get(plain, false, attempt, other.credentials()));
            assertThat(client.message().status()).isEqualTo(200);
        }
        assertOwn(attempt, own);
    }

    /** Streams of both to one origin at the same time. */
    private void http2Streams(Tenant own, Tenant other) throws Exception {
        try (Wire one = connected(own, secure);
                Wire two = connected(other, secure)) {
            Http2Peer mine = Http2Peer.connect(one.tls(certificates.client, "localhost", "h2"));
            Http2Peer theirs = Http2Peer.connect(two.tls(certificates.client, "localhost", "h2"));
            String first = next();
            String second = next();
            String third = next();
            stream(mine, 1, first);
            stream(theirs, 1, second);
            stream(mine, 3, third);
            assertThat(mine.next(Http2Peer.HEADERS)).isNotNull();
            assertThat(theirs.next(Http2Peer.HEADERS)).isNotNull();
            assertThat(mine.next(Http2Peer.HEADERS)).isNotNull();
            assertOwn(first, own);
            assertOwn(second, other);
            assertOwn(third, own);
        }
    }

    private void stream(Http2Peer client, int stream, String attempt) throws Exception {
        client.headers(
                stream,
                true,
                ":method",
                "GET",
                ":scheme",
                "https",
                ":authority",
                "localhost:" + secure.port(),
                ":path",
                "/" + placeholder,
                "x-attempt",
                attempt,
                "x-key",
                placeholder);
    }

    /** One TLS session of a client, resumed through the tunnels of both. */
    private void resumedSessions(Tenant own, Tenant other) throws Exception {
        for (Tenant tenant : new Tenant[] {own, other, own}) {
            String attempt = next();
            try (Wire client = connected(tenant, secure).tls(certificates.client, "localhost")) {
                client.send(get(secure, false, attempt));
                assertThat(client.message().status()).isEqualTo(200);
            }
            assertOwn(attempt, tenant);
        }
    }

    private void socksAndConnect(Tenant own, Tenant other) throws Exception {
        String first = next();
        String second = next();
        try (Wire one = socks(own, secure).tls(certificates.client, "localhost");
                Wire two = connected(other, secure).tls(certificates.client, "localhost")) {
            one.send(get(secure, false, first));
            two.send(get(secure, false, second));
            assertThat(one.message().status()).isEqualTo(200);
            assertThat(two.message().status()).isEqualTo(200);
        }
        assertOwn(first, own);
        assertOwn(second, other);
    }
}
