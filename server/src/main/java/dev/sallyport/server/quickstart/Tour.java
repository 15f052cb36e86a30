package dev.sallyport.server.quickstart;

import java.net.URI;
import java.util.List;
import java.util.Map;

/** What there is to try in the quickstart. */
final class Tour {

    private static final String PLACEHOLDER = "Bearer demo-placeholder";

    private final String api;

    Tour(int apiPort) {
        this.api = "https://" + DemoNames.API + ":" + apiPort;
    }

    /** What people are shown. */
    List<Visit> highlights() {
        return List.of(allowed(), wrongPath(), wrongTunnel(), metadata());
    }

    /** What {@code --check} tries. */
    List<Visit> everything() {
        return List.of(allowed(), noKey(), wrongPath(), wrongHost(), wrongTunnel(), metadata(), twoNames());
    }

    Visit allowed() {
        return new Visit(
                "Allowed. The workload sends a placeholder, the API gets the real key.",
                URI.create(api + "/v1/hello"),
                Map.of("Authorization", PLACEHOLDER),
                200,
                "allow",
                "");
    }

    private Visit noKey() {
        return new Visit(
                "Allowed, but without the placeholder nothing is added: the API says no.",
                URI.create(api + "/v1/hello"),
                Map.of(),
                401,
                "allow",
                "");
    }

    private Visit wrongPath() {
        return new Visit(
                "Refused: the allowlist knows this host, but not this path.",
                URI.create(api + "/admin"),
                Map.of("Authorization", PLACEHOLDER),
                403,
                "reject",
                "allowlist");
    }

    private Visit wrongHost() {
        return new Visit(
                "Refused: a host that is on no list.",
                URI.create("http://elsewhere.demo.test/"),
                Map.of(),
                403,
                "reject",
                "allowlist");
    }

    private Visit wrongTunnel() {
        return new Visit(
                "Refused: a tunnel to a host that is on no list.",
                URI.create("https://elsewhere.demo.test/"),
                Map.of(),
                403,
                "reject",
                "allowlist");
    }

    private Visit metadata() {
        return new Visit(
                "Never dialled: an allowed name that resolves to the cloud's metadata service.",
                URI.create("http://" + DemoNames.METADATA + "/latest/meta-data/"),
                Map.of(),
                502,
                "error",
                "upstream_denied");
    }

    private Visit twoNames() {
        return new Visit(
                "Refused: a tunnel to one host, a request for another.",
                URI.create(api + "/v1/hello"),
                Map.of("Host", "elsewhere.demo.test", "Authorization", PLACEHOLDER),
                421,
                "reject",
                "misdirected_request");
    }
}
