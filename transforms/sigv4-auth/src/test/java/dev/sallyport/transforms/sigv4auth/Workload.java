package dev.sallyport.transforms.sigv4auth;

import dev.sallyport.spi.Principal;
import dev.sallyport.testkit.ExchangeResult;
import dev.sallyport.testkit.FakeSecrets;
import dev.sallyport.testkit.TestRequest;
import dev.sallyport.testkit.TransformHarness;
import java.time.Clock;

/** What most tests need: credentials real and worthless, requests that a workload signs with the latter, and a verifier. */
final class Workload {

    static final String KEY_ID = "AKIDREALREALREAL0001";
    static final String SECRET = "rEaL/sEcReT+aCcEsS/kEy0123456789ABCDEFGH";
    static final String TOKEN = "rEaLsEsSiOnToKeN//+AbCdEfGhIjKlMnOp==";
    static final String FAKE_ID = "AKIDPLACEHOLDER00000";
    static final String FAKE_TOKEN = "placeholder-session-token";
    static final String FAKE_SIGNATURE = "5ca1ab1e".repeat(8);

    /** The harness' clock begins here. */
    static final String NOW = "20300101T000000Z";

    private Workload() {}

    /** A harness with the real keys, and more configuration. */
    static TransformHarness.Builder harness(boolean token, String... more) {
        StringBuilder config = new StringBuilder("""
                transforms:
                  - name: sigv4_auth
                    config:
                      access_key_id: {type: fake, name: ID}
                      secret_access_key: {type: fake, name: SECRET}
                      rules: [{host: "*.amazonaws.com"}]
                """);
        if (token) {
            config.append("      session_token: {type: fake, name: TOKEN}\n");
        }
        for (String line : more) {
            config.append("      ").append(line).append('\n');
        }
        return TransformHarness.of(config.toString()).secrets(secrets());
    }

    static FakeSecrets secrets() {
        return new FakeSecrets().set("ID", KEY_ID).set("SECRET", SECRET).set("TOKEN", TOKEN);
    }

    static Verifier verifier(Clock clock, boolean token) {
        return new Verifier(KEY_ID, SECRET, token ? TOKEN : null, clock);
    }

    /** As a client signs for S3 in eu-west-1. */
    static String authorization(String service, String signedHeaders) {
        return "AWS4-HMAC-SHA256 Credential=" + FAKE_ID + "/20300101/eu-west-1/" + service
                + "/aws4_request, SignedHeaders=" + signedHeaders + ", Signature=" + FAKE_SIGNATURE;
    }

    /** With the headers of a client's signature. */
    static TestRequest signed(TestRequest request, String service, String payload) {
        TestRequest dated = request.header("X-Amz-Date", NOW)
                .header("Authorization", authorization(service, "host;x-amz-content-sha256;x-amz-date"));
        return payload.isEmpty() ? dated : dated.header("x-amz-content-sha256", payload);
    }

    static String presigned(String url, String service) {
        return url + (url.contains("?") ? "&" : "?") + "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=" + FAKE_ID
                + "%2F20300101%2Feu-west-1%2F" + service + "%2Faws4_request&X-Amz-Date=" + NOW
                + "&X-Amz-Expires=900&X-Amz-SignedHeaders=host&X-Amz-Signature=" + FAKE_SIGNATURE;
    }

    /** Sends, and has the request that reached the upstream verified; returns its content. */
    static byte[] accepted(TransformHarness harness, TestRequest request, boolean token) {
        ExchangeResult result = harness.send(request.from(Principal.anonymous()));
        return verifier(harness.time().clock(), token).verify(result.sent());
    }
}
