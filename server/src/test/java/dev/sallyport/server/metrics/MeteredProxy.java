package dev.sallyport.server.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.sallyport.server.cli.Sallyport;
import dev.sallyport.testsupport.DnsClient;
import dev.sallyport.testsupport.Ports;
import dev.sallyport.testsupport.TestCertificates;
import dev.sallyport.testsupport.TestDnsServer;
import io.netty.handler.codec.dns.DnsResponseCode;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;

/** A packaged proxy and everything around it, so that each of its meters moves in every round of traffic. */
final class MeteredProxy implements AutoCloseable {

    private static final String VERDICT = """
            {"id": "msg_1", "type": "message", "role": "assistant", "stop_reason": "tool_use",
             "usage": {"input_tokens": 321, "output_tokens": 12},
             "content": [{"type": "tool_use", "id": "toolu_1", "name": "verdict",
                          "input": {"decision": "ALLOW", "reason": "Fine."}}]}
            """;
    private static final String CALL = """
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "delete", "arguments": {}}}""";

    /** The addresses of a client without a workload, and of the workload's. */
    private static final String ANYONE = "127.0.0.1";

    private static final String JOB = "127.0.0.2";

    private final TestCertificates certificates;
    private final TestDnsServer names = new TestDnsServer();
    private final HttpServer origin;
    private final HttpsServer secure;
    private final HttpServer model;
    private final Path fileSecret;
    private final int nobody;
    private final Sallyport proxy;
    private final InetSocketAddress metrics;
    private final InetSocketAddress dns;
    private final int tunnel;
    private int rounds;

    MeteredProxy(Path folder) throws Exception {
        certificates = new TestCertificates(folder);
        origin = serving(HttpServer.create(loopback(), 0), "hello");
        secure = HttpsServer.create(loopback(), 0);
        secure.setHttpsConfigurator(new HttpsConfigurator(certificates.origin));
        serving(secure, "hello over TLS");
        model = serving(HttpServer.create(loopback(), 0), VERDICT);
        nobody = Ports.unused();
        names.fail("broken.passed.test", DnsResponseCode.SERVFAIL);
        names.fail("broken.origin.test", DnsResponseCode.SERVFAIL);
        names.address("good.passed.test", "192.0.2.1", 60);
        fileSecret = Files.writeString(folder.resolve("secret.txt"), "file-secret");
        Files.writeString(folder.resolve("proxy.yaml"), config());
        proxy = Sallyport.start(
                Sallyport.distribution(),
                folder,
                Map.of("TOKEN", "env-secret", "MODEL_KEY", "model-secret"),
                "-config",
                "proxy.yaml");
        proxy.awaitErr("ready after (\\d+) ms");
        metrics = new InetSocketAddress(InetAddress.getLoopbackAddress(), port("metrics.listen"));
        dns = new InetSocketAddress(InetAddress.getLoopbackAddress(), port("dns.listen"));
        tunnel = port("tunnel_listen");
    }

    private int port(String listener) {
        return Integer.parseInt(proxy.awaitErr("listening on \\S*:(\\d+) \\(" + listener + "\\)"));
    }

    private static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    private static <S extends HttpServer> S serving(S server, String answer) {
        byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
        HttpHandler handler = (HttpExchange exchange) -> {
            try (exchange) {
                exchange.getRequestBody().readAllBytes();
                exchange.getResponseHeaders().set("Content-Type", "application/json");
                exchange.sendResponseHeaders(200, bytes.length);
                exchange.getResponseBody().write(bytes);
            }
        };
        server.createContext("/", handler);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
        return server;
    }

    private String config() {
        return """
                dns:
                  listen: 127.0.0.1:0
                  proxy_ip: 127.0.0.1
                  upstream_resolver: 127.0.0.1:%1$d
                  passthrough: ["*.passed.test"]
                  records: [{name: fixed.test, type: A, value: 192.0.2.7}]
                proxy:
                  http_listen: disabled
                  https_listen: disabled
                  tunnel_listen: 127.0.0.1:0
                  upstream_deny_cidrs: []
                tls: {ca_cert: %2$s, ca_key: %3$s, upstream_ca: %4$s}
                metrics: {listen: "127.0.0.1:0", native_histograms: true}
                transforms:
                  - {name: allowlist, config: {domains: [localhost, "*.origin.test"]}}
                  - name: judge
                    config:
                      name: house
                      prompt: No harm.
                      rules: [{host: localhost, paths: [/judged]}]
                      provider: {type: llm_a, model: m, api_key_env: MODEL_KEY, base_url: "http://127.0.0.1:%5$d"}
                  - name: judge
                    config:
                      name: absent
                      prompt: No harm.
                      rules: [{host: localhost, paths: [/unjudged]}]
                      circuit_breaker: {consecutive_failures: 1, cooldown: 1s}
                      provider: {type: llm_a, model: m, api_key_env: MODEL_KEY, base_url: "http://127.0.0.1:%6$d"}
                  - name: grpc
                    config: {name: mirror, target: "127.0.0.1:%6$d", timeout: 1s, rules: [{host: localhost, paths: [/mirrored]}]}
                  - name: secrets
                    config:
                      secrets:
                        - source: {type: env, var: TOKEN}
                          replace: {proxy_value: PLACEHOLDER_TOKEN}
                          rules: [{host: localhost}]
                        - source: {type: file, path: secret.txt, ttl: 1s}
                          replace: {proxy_value: PLACEHOLDER_FILE}
                          rules: [{host: localhost}]
                mcp:
                  servers:
                    - {name: tools, rules: [{host: localhost, paths: [/mcp]}], tools: [{name: read}]}
                workloads:
                  - name: job
                    source_cidrs: [127.0.0.2]
                    transforms: [{name: allowlist, config: {domains: [localhost]}}]
                """.formatted(
                        names.address().getPort(),
                        certificates.caCert.getFileName(),
                        certificates.caKey.getFileName(),
                        certificates.originPem.getFileName(),
                        model.getAddress().getPort(),
                        nobody);
    }

    /** Where it answers {@code /metrics}. */
    InetSocketAddress metrics() {
        return metrics;
    }

    /** What it has written to the audit log. */
    String audit() throws IOException {
        return proxy.out();
    }

    /** What it has been told that must be in no metric. */
    static String[] secrets() {
        return new String[] {"env-secret", "file-secret", "model-secret"};
    }

    /** From now on the secret in the file cannot be read. */
    void loseSecret() throws IOException {
        Files.deleteIfExists(fileSecret);
    }

    /** One request of each kind. */
    void round() throws Exception {
        rounds++;
        int plain = origin.getAddress().getPort();
        get("http://localhost:" + plain + "/");
        get("http://localhost:" + plain + "/judged");
        get("http://localhost:" + plain + "/unjudged");
        get("http://localhost:" + plain + "/mirrored");
        get("http://elsewhere.test/");
        get("http://localhost:" + nobody + "/");
        ask(JOB, getting("http://localhost:" + plain + "/"));
        ask(JOB, getting("http://elsewhere.test/"));
        post("http://localhost:" + plain + "/mcp", CALL);
        names.address("r" + rounds + ".origin.test", "127.0.0.1", 60);
        get("http://r" + rounds + ".origin.test:" + plain + "/");
        get("http://r" + rounds + ".origin.test:" + plain + "/");
        get("http://broken.origin.test:" + plain + "/");
        get("http://missing" + rounds + ".origin.test:" + plain + "/");
        secure("localhost", secure.getAddress().getPort(), certificates.client);
        secure("r" + rounds + ".origin.test", secure.getAddress().getPort(), certificates.client);
        secure("localhost", secure.getAddress().getPort(), certificates.direct); // does not trust the proxy
        for (String name : new String[] {"fixed.test", "any.test", "good.passed.test", "broken.passed.test"}) {
            DnsClient.udp(dns, DnsClient.ask(name, "A").bytes());
        }
        try (DatagramSocket socket = new DatagramSocket()) {
            byte[] malformed = DnsClient.ask("x.test", "A").questions(2).bytes();
            socket.send(new DatagramPacket(malformed, malformed.length, dns));
        }
        proxy.signal("HUP");
    }

    private void get(String url) throws IOException {
        ask(ANYONE, getting(url));
    }

    private static String getting(String url) {
        return "GET " + url + " HTTP/1.1\r\nHost: " + authority(url) + "\r\nConnection: close\r\n\r\n";
    }

    private void post(String url, String body) throws IOException {
        ask(
                ANYONE,
                "POST " + url + " HTTP/1.1\r\nHost: " + authority(url)
                        + "\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: "
                        + body.length() + "\r\nConnection: close\r\n\r\n" + body);
    }

    private static String authority(String url) {
        return url.substring("http://".length()).replaceAll("/.*", "");
    }

    private void ask(String source, String request) throws IOException {
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), tunnel, InetAddress.getByName(source), 0)) {
            client.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            String answer = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!answer.startsWith("HTTP/1.1 ")) {
                throw new AssertionError("no answer to " + request + ": " + answer);
            }
        }
    }

    /** A request in a tunnel; a client that does not trust the proxy ends it with an alert. */
    private void secure(String host, int port, SSLContext trust) throws IOException {
        try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), tunnel)) {
            String target = host + ":" + port;
            plain.getOutputStream()
                    .write(("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            StringBuilder head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                int next = plain.getInputStream().read();
                if (next < 0) {
                    throw new AssertionError("no tunnel: " + head);
                }
                head.append((char) next);
            }
            try (SSLSocket client = (SSLSocket) trust.getSocketFactory().createSocket(plain, host, port, true)) {
                client.getOutputStream()
                        .write(("GET / HTTP/1.1\r\nHost: " + target + "\r\nConnection: close\r\n\r\n")
                                .getBytes(StandardCharsets.US_ASCII));
                client.getInputStream().readAllBytes();
            } catch (SSLException distrust) {
                if (trust.equals(certificates.client)) {
                    throw distrust;
                }
            }
        }
    }

    @Override
    public void close() {
        proxy.close();
        names.close();
        origin.stop(0);
        secure.stop(0);
        model.stop(0);
    }
}
