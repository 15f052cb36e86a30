package dev.sallyport.server.quickstart;

import java.net.URI;
import java.util.List;
import java.util.Map;

/** The requests to try in the quickstart. */
final class SampleRequests {

    private static final String PLACEHOLDER = "Bearer " + DemoNames.PLACEHOLDER;

    private final String api;

    SampleRequests(int apiPort) {
        this.api = "https://" + DemoNames.API + ":" + apiPort;
    }

    /** The requests that are shown to people. */
    List<SampleRequest> highlights() {
        return List.of(allowed(), wrongPath(), wrongTunnel(), metadata());
    }

    /** The requests that {@code --check} sends. */
    List<SampleRequest> everything() {
        return List.of(allowed(), noKey(), wrongPath(), wrongHost(), wrongTunnel(), metadata(), twoNames());
    }

    SampleRequest allowed() {
        return new SampleRequest(
                "Allowed. The workload sends a placeholder, the API gets the real key.",
                URI.create(api + "/v1/hello"),
                Map.of("Authorization", PLACEHOLDER),
                200,
                "allow",
                "");
    }

    /** {@link #allowed}, when the secret has another value. */
    SampleRequest rotated() {
        return new SampleRequest(
                "The key is replaced through the API: the workload sends what it always sent.",
                URI.create(api + "/v1/hello"),
                Map.of("Authorization", PLACEHOLDER),
                200,
                "allow",
                "");
    }

    private SampleRequest noKey() {
        return new SampleRequest(
                "Allowed, but without the placeholder nothing is added: the API says no.",
                URI.create(api + "/v1/hello"),
                Map.of(),
                401,
                "allow",
                "");
    }

    private SampleRequest wrongPath() {
        return admin("Refused: the allowlist knows this host, but not this path.", 403, "reject", "allowlist");
    }

    /** {@link #wrongPath}, when a policy lets it through. */
    SampleRequest openedPath() {
        return admin("The same path is allowed as soon as a policy of the control plane says so.", 200, "allow", "");
    }

    /** {@link #wrongPath}, when the policy is gone. */
    SampleRequest closedPath() {
        return admin("It is refused again as soon as that policy is deleted.", 403, "reject", "allowlist");
    }

    /** A request whose key a policy of the control plane adds. */
    SampleRequest injected() {
        return new SampleRequest(
                "Allowed. The workload sends nothing, and a policy of the control plane adds the key.",
                URI.create(api + "/v2/hello"),
                Map.of(),
                200,
                "allow",
                "");
    }

    private SampleRequest admin(String title, int status, String action, String sign) {
        return new SampleRequest(
                title, URI.create(api + "/admin"), Map.of("Authorization", PLACEHOLDER), status, action, sign);
    }

    private SampleRequest wrongHost() {
        return new SampleRequest(
                "Refused: a host that is on no list.",
                URI.create("http://elsewhere.demo.test/"),
                Map.of(),
                403,
                "reject",
                "allowlist");
    }

    private SampleRequest wrongTunnel() {
        return new SampleRequest(
                "Refused: a tunnel to a host that is on no list.",
                URI.create("https://elsewhere.demo.test/"),
                Map.of(),
                403,
                "reject",
                "allowlist");
    }

    private SampleRequest metadata() {
        return new SampleRequest(
                "Never dialled: an allowed name that resolves to the cloud's metadata service.",
                URI.create("http://" + DemoNames.METADATA + "/latest/meta-data/"),
                Map.of(),
                502,
                "error",
                "upstream_denied");
    }

    private SampleRequest twoNames() {
        return new SampleRequest(
                "Refused: a tunnel to one host, a request for another.",
                URI.create(api + "/v1/hello"),
                Map.of("Host", "elsewhere.demo.test", "Authorization", PLACEHOLDER),
                421,
                "reject",
                "misdirected_request");
    }
}
