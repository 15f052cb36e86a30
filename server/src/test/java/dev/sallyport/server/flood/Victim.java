package dev.sallyport.server.flood;

import dev.sallyport.server.cli.Sallyport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Predicate;

/** The packaged server as in a small container: a heap of 256 MiB, and its limits of memory as they come. */
final class Victim implements AutoCloseable {

    /** What workloads send instead of {@link #VALUE}. */
    static final String PLACEHOLDER = "PLACEHOLDER_0001";

    /** The same, of a value like others, at all hosts of {@code secrets.localhost}. */
    static final String SHORT_PLACEHOLDER = "PLACEHOLDER_0002";

    /** What stands for {@link #SHORT_PLACEHOLDER}. */
    static final String SHORT_VALUE = "a short value";

    /** It looks for leaks, as the launcher does not; with -Pfull also the compilers that come. */
    private static final String OPTIONS = "-Xmx256m -Dio.netty.leakDetection.level=simple"
            + (Boolean.getBoolean("sallyport.full") ? " -XX:TieredStopAtLevel=4" : "");

    private static final String VALUE = "v".repeat(60_000);

    private final Sallyport process;
    private final Records records;
    private final InetSocketAddress http;
    private final InetSocketAddress https;
    private final InetSocketAddress tunnel;
    private final InetSocketAddress dns;
    private final InetSocketAddress metrics;

    /**
     * Starts it.
     *
     * @param nowhere the port of somebody who takes connections and never says anything: the judge, the policy server
     */
    Victim(Path folder, int nowhere) throws IOException, InterruptedException {
        this(folder, nowhere, "");
    }

    /**
     * Starts one that asks a certain server for names.
     *
     * @param resolver more fields of {@code dns}, in YAML flow style, after a comma
     */
    Victim(Path folder, int nowhere, String resolver) throws IOException, InterruptedException {
        Sallyport.run(folder, "generate-ca");
        Files.writeString(
                folder.resolve("proxy.yaml"), """
                dns: {listen: "127.0.0.1:0", proxy_ip: 127.0.0.1%4$s}
                metrics: {listen: "127.0.0.1:0"}
                proxy:
                  http_listen: 127.0.0.1:0
                  https_listen: 127.0.0.1:0
                  tunnel_listen: 127.0.0.1:0
                  upstream_deny_cidrs: []
                  redact_responses: swapped
                  upstream: {request_body_timeout: 5s}
                  limits:
                    header_read_timeout: 1s
                    client_hello_timeout: 1s
                    first_bytes_timeout: 1s
                    half_closed_timeout: 1s
                    relay_idle_timeout: 2s
                    client_idle_timeout: 2s
                tls: {ca_cert: ca.crt, ca_key: ca.key, passthrough: [pass.localhost]}
                transforms:
                  - name: allowlist
                    config: {domains: ["*.localhost", "*.crowd.test"], cidrs: [127.0.0.0/8]}
                  - name: grpc
                    config:
                      name: held
                      target: 127.0.0.1:%1$d
                      send_request_body: true
                      timeout: 2s
                      rules: [{host: grpc.localhost}]
                  - name: judge
                    config:
                      name: held
                      prompt: Nothing.
                      provider: {type: llm_b, model: m, api_key_env: KEY, base_url: "http://127.0.0.1:%1$d"}
                      timeout: 2s
                      rules: [{host: judge.localhost}]
                  - name: secrets
                    config:
                      secrets:
                        - source: {type: env, var: LONG}
                          replace:
                            proxy_value: %2$s
                            match_body: true
                            match_path: true
                            match_query: true
                          rules: [{host: secret.localhost}]
                        - source: {type: env, var: SHORT}
                          replace: {proxy_value: %3$s}
                          rules: [{host: "*.secrets.localhost"}]
                mcp:
                  servers:
                    - name: held
                      rules: [{host: mcp.localhost}]
                      tools: [{name: search}]
                    - name: compared
                      rules: [{host: compared.localhost}]
                      tools: [{name: search, when: [{path: q, matches: "(.*)(.*)(.*)(.*)(.*)[0-9]{20}$"}]}]
                """.formatted(nowhere, PLACEHOLDER, SHORT_PLACEHOLDER, resolver));
        process = Sallyport.start(
                Sallyport.distribution(),
                folder,
                Map.of(Sallyport.OPTIONS, OPTIONS, "LONG", VALUE, "SHORT", SHORT_VALUE, "KEY", "k"),
                "-config",
                "proxy.yaml");
        records = new Records(process.outFile());
        process.awaitErr("(ready after)");
        http = address("http_listen");
        https = address("https_listen");
        tunnel = address("tunnel_listen");
        dns = address("dns.listen");
        metrics = address("metrics.listen");
    }

    private InetSocketAddress address(String listener) {
        return new InetSocketAddress(
                InetAddress.getLoopbackAddress(),
                Integer.parseInt(process.awaitErr("listening on \\S*:(\\d+) \\(" + listener + "\\)")));
    }

    InetSocketAddress http() {
        return http;
    }

    InetSocketAddress https() {
        return https;
    }

    InetSocketAddress tunnel() {
        return tunnel;
    }

    InetSocketAddress dns() {
        return dns;
    }

    boolean lives() {
        return process.lives();
    }

    String err() throws IOException {
        return process.err();
    }

    /** What it says of itself, in the text of Prometheus. */
    String metrics() throws IOException {
        try (Socket socket = new Socket(metrics.getAddress(), metrics.getPort())) {
            Attacker.send(socket, "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** How many records there are of what came from such addresses, by action and status. */
    Map<String, Integer> records(Predicate<String> addresses) throws IOException {
        return records.of(addresses);
    }

    /** Ends it in good order. */
    Sallyport.Ended end() throws IOException, InterruptedException {
        process.signal("TERM");
        return process.await();
    }

    @Override
    public void close() {
        process.close();
    }
}
