package dev.sallyport.transforms.oauthtoken;

import dev.sallyport.testkit.FakeSecrets;
import dev.sallyport.testkit.JdkCaller;
import dev.sallyport.testkit.TestUpstream;
import dev.sallyport.testkit.TransformHarness;
import java.net.URI;

/** A harness with one entry, and an issuer behind a real socket; tests change one thing. */
final class Setup implements AutoCloseable {

    static final String URL = "https://api.example.com/v1/items";

    static final String CLIENT_CREDENTIALS =
            "grant: client_credentials, client_id: {type: fake, name: ID}, client_secret: {type: fake, name: SECRET}";
    static final String PASSWORD =
            "grant: password, username: {type: fake, name: USER}, password: {type: fake, name: PASSWORD},"
                    + " client_id: {type: fake, name: ID}, client_secret: {type: fake, name: SECRET}";
    static final String REFRESH_TOKEN =
            "grant: refresh_token, refresh_token: {type: fake, name: REFRESH}, client_id: {type: fake, name: ID},"
                    + " client_secret: {type: fake, name: SECRET}";
    static final String JWT_BEARER =
            "grant: jwt_bearer, issuer: {type: fake, name: ISSUER}, subject: {type: fake, name: USER},"
                    + " private_key: {type: fake, name: KEY}, private_key_id: {type: fake, name: KID}, audience: '"
                    + TokenServer.AUDIENCE + "'";

    final TokenServer server = new TokenServer();
    final TestUpstream issuer = TestUpstream.http(server);
    final JdkCaller caller = new JdkCaller();
    final FakeSecrets secrets = new FakeSecrets()
            .set("ID", TokenServer.CLIENT)
            .set("SECRET", TokenServer.SECRET)
            .set("USER", TokenServer.USER)
            .set("PASSWORD", TokenServer.PASSWORD)
            .set("REFRESH", TokenServer.REFRESH)
            .set("ISSUER", "issuer-1")
            .set("KID", "key-7")
            .set("KEY", Keys.pkcs8());
    String entry = CLIENT_CREDENTIALS;
    String more = "";
    String endpoint = issuer.url() + "/oauth/token";

    int issuerPort() {
        return URI.create(issuer.url()).getPort();
    }

    /** More fields begin with a comma. */
    TransformHarness.Builder builder() {
        return builder(
                "[{" + entry + ", token_endpoint: '" + endpoint + "', rules: [{host: api.example.com}]" + more + "}]");
    }

    TransformHarness.Builder builder(String tokens) {
        return TransformHarness.of("""
                        transforms:
                          - name: oauth_token
                            config:
                              tokens: %s
                        """.formatted(tokens)).secrets(secrets).http(caller);
    }

    TransformHarness start() {
        TransformHarness harness = builder().start();
        server.clock = harness.time().clock();
        return harness;
    }

    @Override
    public void close() {
        caller.close();
        issuer.close();
    }
}
