package dev.sallyport.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.Applied;
import dev.sallyport.core.PipelineSpec;
import dev.sallyport.core.PipelineUpdate;
import dev.sallyport.core.WorkloadSpec;
import dev.sallyport.core.config.PluginCatalog;
import dev.sallyport.core.secret.DeliveredSourceFactory;
import dev.sallyport.spi.SecretSourceFactory;
import dev.sallyport.spi.SecretValue;
import dev.sallyport.testsupport.Wire;
import dev.sallyport.transforms.allowlist.AllowlistFactory;
import dev.sallyport.transforms.secrets.SecretsFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Workloads for tests: each has a secret of its own behind the placeholder that all of them have. */
public final class Tenants {

    public static final String PLACEHOLDER = "placeholder-of-everybody";

    private Tenants() {}

    static PluginCatalog catalog(SecretSourceFactory<?>... sources) {
        List<SecretSourceFactory<?>> all = new ArrayList<>(List.of(sources));
        all.add(new DeliveredSourceFactory());
        return PluginCatalog.of(List.of(new AllowlistFactory(), new SecretsFactory()), all);
    }

    /** A pipeline that lets these hosts through and swaps the placeholder for the secret of this id. */
    static PipelineSpec pipeline(String id, String... hosts) {
        return PipelineSpec.of("""
                transforms:
                  - name: allowlist
                    config: {domains: [%s]}
                  - name: secrets
                    config:
                      secrets:
                        - source: {type: control_plane, ref: %s, optional: true}
                          replace: {proxy_value: %s}
                """.formatted(quoted(hosts), id, PLACEHOLDER));
    }

    private static String quoted(String... hosts) {
        return "\"" + String.join("\", \"", hosts) + "\"";
    }

    /** Whose secret is {@code secret-of-NAME}. */
    static PipelineUpdate.Builder secret(PipelineUpdate.Builder update, String name) {
        return update.secret(name, "1", SecretValue.of(value(name)));
    }

    static String value(String name) {
        return "secret-of-" + name + "-0123456789";
    }

    static String password(String name) {
        return "password-of-" + name;
    }

    static WorkloadSpec.Builder user(String name) {
        return WorkloadSpec.builder(name).user(name, SecretValue.of(password(name)));
    }

    static Applied apply(TestProxy proxy, PipelineUpdate.Builder update) throws Exception {
        return proxy.proxy()
                .pipelines()
                .apply(update.build())
                .toCompletableFuture()
                .get(10, TimeUnit.MINUTES);
    }

    static void applyAll(TestProxy proxy, PipelineUpdate.Builder update) throws Exception {
        assertThat(apply(proxy, update).problems()).isEmpty();
    }

    public static String basic(String user, String password) {
        return "Proxy-Authorization: Basic "
                + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
    }

    static String as(String name) {
        return basic(name, password(name));
    }

    /** A connection from this loopback address. */
    static Wire from(String address, InetSocketAddress to) throws Exception {
        Socket socket = new Socket();
        socket.bind(new InetSocketAddress(InetAddress.getByName(address), 0));
        socket.connect(to);
        return new Wire(socket);
    }
}
