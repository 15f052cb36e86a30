package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.core.EgressProxy;
import dev.sallyport.core.StartException;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.tls.CertificateAuthority;
import dev.sallyport.spi.Decision;
import dev.sallyport.spi.InlineTransform;
import dev.sallyport.spi.StubResponse;
import dev.sallyport.testsupport.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ProxySelector;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A control plane in the process of a proxy. */
class EmbeddedTest {

    @TempDir
    Path folder;

    private EgressProxy proxy(int port, String more) throws IOException {
        Path cert = folder.resolve("ca.pem");
        Path key = folder.resolve("ca.key");
        CertificateAuthority.generate("test", Duration.ofDays(1)).write(cert, key);
        String yaml = "dns: {enabled: false}\n"
                + "proxy: {http_listen: disabled, https_listen: disabled, tunnel_listen: \"127.0.0.1:0\"}\n"
                + "tls: {ca_cert: \"" + cert + "\", ca_key: \"" + key + "\"}\n"
                + "metrics: {listen: disabled}\n"
                + "control:\n  listen: \"127.0.0.1:" + port + "\"\n  state_dir: \"" + folder.resolve("state") + "\"\n"
                + Database.yaml() + more;
        return EgressProxy.builder()
                .configText("f.yaml", yaml)
                .catalog(PluginCatalog.of(List.of(), List.of(), List.of(new ControlFactory())))
                .transform(
                        "stub", (InlineTransform) request -> Decision.respond(StubResponse.json("{\"proxied\": true}")))
                .build();
    }

    @Test
    void bothServeAndEndTogether() throws Exception {
        int port = Ports.unused();
        Api api = new Api(URI.create("http://127.0.0.1:" + port), null, null);
        try (EgressProxy proxy = proxy(port, "")) {
            proxy.start();
            HttpClient through = HttpClient.newBuilder()
                    .proxy(ProxySelector.of(proxy.tunnelAddress()))
                    .build();

            assertThat(api.get("/readyz").text()).isEqualTo("OK");
            assertThat(api.get("/v1/me").error()).isEqualTo("401 unauthorized");
            assertThat(through.send(
                                    HttpRequest.newBuilder(URI.create("http://world.test/"))
                                            .build(),
                                    HttpResponse.BodyHandlers.ofString())
                            .body())
                    .as("nobody has signed up")
                    .contains("not_ready");
            assertThat(proxy.ready()).isFalse();
        }

        assertThatThrownBy(() -> api.get("/healthz")).isInstanceOf(UncheckedIOException.class);
    }

    @Tag("long")
    @Test
    void itsPortIsFreeWhenItHasEnded() throws Exception {
        for (int i = 0; i < 10; i++) {
            int port = Ports.unused(); // each time: meanwhile, one that was used may be somebody's
            EgressProxy proxy = proxy(port, "");
            proxy.start();
            new Socket(InetAddress.getLoopbackAddress(), port).close();
            proxy.close();
            assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port))
                    .isInstanceOf(ConnectException.class);
        }
    }

    @Test
    void aPortThatIsTakenEndsTheStartWithItsPlace() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                EgressProxy proxy = proxy(taken.getLocalPort(), "")) {
            assertThatThrownBy(proxy::start)
                    .isInstanceOf(StartException.class)
                    .hasMessageContaining("/control/listen: cannot listen on 127.0.0.1:" + taken.getLocalPort()
                            + ": the port is taken (expected: ");
        }
    }
}
