package dev.sallyport.toolkit.token;

import dev.sallyport.spi.StubResponse;

/** The placeholder that workloads get instead of a token; it is replaced with the real one in their requests. */
public final class PlaceholderToken {

    /** The placeholder. */
    public static final String VALUE = "sallyport-stub-token";

    private static final String JSON =
            "{\"access_token\":\"" + VALUE + "\",\"expires_in\":3600,\"token_type\":\"Bearer\"}";

    private PlaceholderToken() {}

    /** The answer of a token endpoint (RFC 6749, 5.1), to which headers may be added. */
    public static StubResponse.Builder response() {
        return StubResponse.status(200)
                .header("Content-Type", "application/json")
                .header("Cache-Control", "no-store")
                .body(JSON);
    }
}
