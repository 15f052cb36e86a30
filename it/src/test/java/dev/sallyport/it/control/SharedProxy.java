package dev.sallyport.it.control;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.it.CrossAttempts;
import dev.sallyport.it.Tenants;
import dev.sallyport.it.TestProxy;
import dev.sallyport.testsupport.Patience;
import dev.sallyport.testsupport.Ports;
import dev.sallyport.testsupport.TestCertificates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A control plane with a proxy in its process, through which several accounts go. */
final class SharedProxy implements AutoCloseable {

    /** Of the account that the variable is named after. */
    static final Map<String, String> VALUES =
            Map.of("ALICE_KEY", "secret-of-alice-0123456789", "BOB_KEY", "secret-of-bob-0123456789");

    private final Path folder;
    private final TestCertificates certificates;
    private final int port = Ports.unused();
    private TestProxy proxy;

    SharedProxy(Path folder, TestCertificates certificates, String... lines) throws Exception {
        this.folder = folder;
        this.certificates = certificates;
        start(lines);
    }

    /** Starts, with these lines in section {@code control}. */
    void start(String... lines) throws Exception {
        StringBuilder section = new StringBuilder(
                "control:\n  listen: 127.0.0.1:" + port + "\n  state_dir: " + folder.resolve("state") + "\n");
        for (String line : lines) {
            section.append("  ").append(line).append('\n');
        }
        proxy = TestProxy.builder(Files.createDirectories(folder.resolve("proxy")))
                .certificates(certificates)
                .catalog(ControlSite.catalog())
                .environment(VALUES)
                .sections(section.toString())
                .start();
    }

    /** Ends; what is stored stays. */
    void stop() {
        proxy.close();
    }

    TestProxy proxy() {
        return proxy;
    }

    ControlApi signUp() throws Exception {
        return ControlApi.signUp(port);
    }

    /** Lets an account through to the origins of tests. */
    static void open(ControlApi api) throws Exception {
        api.send("POST", "/v1/egress/rules", "{\"host\": \"localhost\"}", 201);
        api.send("POST", "/v1/egress/rules?wait=applied", "{\"cidr\": \"127.0.0.1/32\"}", 201);
    }

    /** Has the placeholder of everybody stand for the value of a variable, in paths. */
    static String replace(String variable) {
        return "{\"name\": \"key\", \"priority\": 1, \"mode\": \"replace\", \"source\": {\"var\": \"" + variable
                + "\"}, \"replace_config\": {\"proxy_value\": \"" + Tenants.PLACEHOLDER + "\"}}";
    }

    /** A workload of an account, with what its placeholder stands for. */
    static CrossAttempts.Tenant workload(ControlApi api, String name, String value) throws Exception {
        JsonNode made = api.send("POST", "/v1/workloads?wait=applied", "{\"name\": \"" + name + "\"}", 201);
        return new CrossAttempts.Tenant(
                made.path("user").asText(), made.path("password").asText(), value);
    }

    /** Until the proxy has started and serves. */
    void awaitReady() {
        await().atMost(Patience.usual()).until(() -> proxy.proxy().ready());
    }

    @Override
    public void close() throws IOException {
        proxy.close();
    }
}
