package dev.sallyport.server.quickstart;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.server.Failure;
import dev.sallyport.server.control.ControlApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The control plane's API, called as a script would. The first start signs somebody up and makes the secret and the policies
 * of the demo; later ones find them.
 */
final class PolicyApi {

    private static final String NETWORK_POLICIES = "/v1/policies/network";
    private static final String SECRET_POLICIES = "/v1/policies/secrets";
    private static final String SECRETS = "/v1/secrets";

    /** Answers when the proxy has applied the change. */
    private static final String WAIT = "?wait=applied";

    private static final String DEMO = """
            {"name": "demo", "priority": 10, "rules": [
              {"host": "api.demo.test", "methods": ["GET", "POST"], "paths": ["/v1/*", "/v2/*"]},
              {"host": "metadata.demo.test"}]}""";

    private static final String DEMO_KEY = """
            {"name": "demo-key", "priority": 10, "mode": "inject", "source": {"type": "env", "var": "DEMO_API_KEY"},
             "rules": [{"host": "api.demo.test", "paths": ["/v2/*"]}],
             "inject_config": {"header": "Authorization", "formatter": "Bearer {{.Value}}"}}""";

    private static final String ADMIN =
            "{\"name\": \"admin\", \"priority\": 20, \"rules\": [{\"host\": \"api.demo.test\", \"paths\": [\"/admin\"]}]}";

    private final ControlApi api;
    private final Path keyFile;

    private PolicyApi(ControlApi api, Path keyFile) {
        this.api = api;
        this.keyFile = keyFile;
    }

    /**
     * Signs the demo's user up unless the key is there, and makes its policies where there are none. Blocks until the proxy
     * has them.
     *
     * @param keyFile the key of the demo's user, made with the user
     * @param apiKey the key of the demo API, which the secret holds from now on
     */
    static PolicyApi of(ControlApi api, Path keyFile, String apiKey) throws Failure, InterruptedException {
        try {
            if (Files.exists(keyFile)) {
                api.useKey(Files.readString(keyFile).strip());
            } else {
                Folder.writePrivate(keyFile, api.signUp("demo@demo.test") + "\n");
            }
            if (api.call("GET", NETWORK_POLICIES, null).at("/data").isEmpty()) {
                api.call("POST", NETWORK_POLICIES + WAIT, DEMO);
            }
            if (api.call("GET", SECRET_POLICIES, null).at("/data").isEmpty()) {
                api.call("POST", SECRET_POLICIES + WAIT, DEMO_KEY);
            }
            keep(api, apiKey);
        } catch (IOException e) {
            throw new Failure("the control plane of the quickstart: " + e.getMessage() + " (expected: the user and "
                    + "the key that the first start made; delete " + keyFile.getParent() + " to begin anew)");
        }
        return new PolicyApi(api, keyFile);
    }

    /** Keeps the key of the demo API as a secret, in place of that of an earlier start. */
    private static void keep(ControlApi api, String apiKey) throws IOException, InterruptedException {
        ObjectNode secret = JsonNodeFactory.instance.objectNode().put("secret", apiKey);
        JsonNode present =
                api.call("GET", SECRETS + "?name=" + DemoNames.SECRET, null).at("/data/0/id");
        if (present.isMissingNode()) {
            secret.put("name", DemoNames.SECRET).put("env_var", DemoNames.SECRET);
            secret.putArray("hosts").add(DemoNames.API);
            api.call("POST", SECRETS + WAIT, secret.toString());
        } else {
            api.call("PATCH", SECRETS + "/" + present.asText() + WAIT, secret.toString());
        }
    }

    /** Gives the secret another value. Returns when the proxy has it. */
    void rotate(String apiKey) throws Failure, InterruptedException {
        try {
            keep(api, apiKey);
        } catch (IOException e) {
            throw new Failure("the control plane: " + e.getMessage());
        }
    }

    /** Allows what the samples show to be refused. Returns when the proxy does. */
    void openAdmin() throws Failure, InterruptedException {
        change("POST", NETWORK_POLICIES + WAIT, ADMIN);
    }

    /** Takes {@link #openAdmin} back. Returns when the proxy does. */
    void closeAdmin() throws Failure, InterruptedException {
        JsonNode policy = change("GET", NETWORK_POLICIES + "?name=admin", null);
        change("DELETE", NETWORK_POLICIES + "/" + policy.at("/data/0/id").asText() + WAIT, null);
    }

    private JsonNode change(String method, String path, @Nullable String body) throws Failure, InterruptedException {
        try {
            return api.call(method, path, body);
        } catch (IOException e) {
            throw new Failure("the control plane: " + e.getMessage());
        }
    }

    /** Where people call it. */
    String base() {
        return api.base();
    }

    /** A line to paste into a POSIX shell: {@link #openAdmin}. */
    String lineThatOpensAdmin() {
        return "curl '" + api.base() + NETWORK_POLICIES + WAIT + "' -H \"Authorization: Bearer $(cat "
                + CurlClient.quoted(keyFile.toString())
                + ")\" -H 'Content-Type: application/json' -d '" + ADMIN + "'";
    }
}
