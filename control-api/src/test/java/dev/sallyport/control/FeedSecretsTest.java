package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bouncycastle.crypto.AsymmetricCipherKeyPair;
import org.bouncycastle.crypto.InvalidCipherTextException;
import org.bouncycastle.crypto.hpke.HPKE;
import org.bouncycastle.crypto.hpke.HPKEContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/spec/decisions.md, section 16: how secrets come to a proxy elsewhere, event by event. */
@Timeout(180)
class FeedSecretsTest {

    private static final String VALUE = "s3cr3t-0123456789";
    private static final String OTHER = "an0ther-9876543210";

    private final HPKE hpke =
            new HPKE(HPKE.mode_base, HPKE.kem_X25519_SHA256, HPKE.kdf_HKDF_SHA256, HPKE.aead_AES_GCM256);
    private final AsymmetricCipherKeyPair key = hpke.generatePrivateKey();
    private final TestControl control = TestControl.shared();
    private final Api api = control.newAccount();
    private String id = "";
    private String token = "";
    private String secret = "";

    @BeforeEach
    void aProxyAndASecret() {
        JsonNode made = api.post("/v1/proxies", "{\"name\": \"p\"}").data();
        id = made.path("id").asText();
        token = made.path("token").asText();
        secret = made("KEY", VALUE);
    }

    private String made(String name, String value) {
        Api.Reply reply = api.post(
                "/v1/secrets",
                "{\"name\": \"" + name + "\", \"secret\": \"" + value + "\", \"env_var\": \"" + name + "\"}");
        assertThat(reply.status()).isEqualTo(201);
        return "/v1/secrets/" + reply.json().path("id").asText();
    }

    private FeedStream open(String... headers) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of("Sallyport-Key", publicKey()));
        all.addAll(List.of(headers));
        return FeedStream.open(control.address(), token, all.toArray(String[]::new));
    }

    private String publicKey() {
        return Base64.getEncoder().encodeToString(hpke.serializePublicKey(key.getPublic()));
    }

    /** The values of an event, by the names of the secrets. */
    private Map<String, String> opened(JsonNode event, String proxy, String epoch) throws Exception {
        HPKEContext context = hpke.setupBaseR(
                event.path("encapsulation").binaryValue(),
                key,
                ("sallyport feed secrets 1\0" + proxy + "\0" + epoch).getBytes(StandardCharsets.UTF_8));
        Map<String, String> values = new LinkedHashMap<>();
        for (JsonNode sealed : event.path("secrets")) {
            String place =
                    sealed.path("id").asText() + "\0" + sealed.path("version").asText();
            byte[] value = context.open(
                    place.getBytes(StandardCharsets.UTF_8), sealed.path("value").binaryValue());
            values.put(sealed.path("id").asText().replaceAll(".*/", ""), new String(value, StandardCharsets.UTF_8));
        }
        return values;
    }

    private static String position(FeedStream.Event snapshot) {
        return snapshot.data().path("epoch").asText() + ":" + snapshot.revision();
    }

    @Test
    void secretsComeBeforeTheirSnapshotSealedForThisProxyAndEpoch() throws Exception {
        try (FeedStream stream = open()) {
            FeedStream.Event hello = stream.next("hello");
            FeedStream.Event secrets = stream.next("secrets");
            FeedStream.Event snapshot = stream.next("snapshot");
            String epoch = hello.data().path("epoch").asText();

            assertThat(hello.data().path("proxy").asText()).isEqualTo(id);
            assertThat(secrets.data().path("whole").asBoolean()).isTrue();
            assertThat(opened(secrets.data(), id, epoch)).isEqualTo(Map.of("KEY", VALUE));
            String organization =
                    api.get("/v1/me").json().at("/organization/id").asText();
            String reference = organization + "/" + secret.replaceAll(".*/", "") + "/KEY";
            assertThat(secrets.data().at("/secrets/0/id").asText()).isEqualTo(reference);
            assertThat(snapshot.pipeline()
                            .at("/transforms/1/config/secrets/0/source/ref")
                            .asText())
                    .isEqualTo(reference);
            assertThat(secrets.data() + " " + snapshot.data()).doesNotContain(VALUE);
            assertThatThrownBy(() -> opened(secrets.data(), "prx_other", epoch))
                    .isInstanceOf(InvalidCipherTextException.class);
            assertThatThrownBy(() -> opened(secrets.data(), id, "another"))
                    .isInstanceOf(InvalidCipherTextException.class);
        }
    }

    @Test
    void aProxyWithoutAKeyGetsNone() throws Exception {
        try (FeedStream stream = FeedStream.open(control.address(), token)) {
            FeedStream.Event snapshot = stream.take();
            assertThat(snapshot.text()).contains("SALLYPORT_PROXY_KEY");

            // when: nothing that it could have has changed
            api.send("PATCH", secret, "{\"secret\": \"" + OTHER + "\"}");
            made("MORE", VALUE);

            // then
            assertThat(stream.take().text()).contains("SALLYPORT_PROXY_MORE");
        }
    }

    /** Rotation alone sends the secret that changed, and not the pipeline. */
    @Test
    void anotherValueIsSentAloneAndADeletedOneIsNamed() throws Exception {
        made("MORE", "m0re-0123456789");
        try (FeedStream stream = open()) {
            String epoch = stream.next("hello").data().path("epoch").asText();
            assertThat(opened(stream.next("secrets").data(), id, epoch)).hasSize(2);
            FeedStream.Event first = stream.take();

            // when
            assertThat(api.send("PATCH", secret, "{\"secret\": \"" + OTHER + "\"}")
                            .status())
                    .isEqualTo(200);

            // then
            JsonNode rotated = stream.next("secrets").data();
            FeedStream.Event second = stream.take();
            assertThat(rotated.path("whole").asBoolean()).isFalse();
            assertThat(opened(rotated, id, epoch)).isEqualTo(Map.of("KEY", OTHER));
            assertThat(second.data().has("pipeline")).isFalse();
            assertThat(second.data().has("pipeline_hash")).isTrue();
            assertThat(second.data().path("hash")).isNotEqualTo(first.data().path("hash"));

            // when: a word for people is nothing to proxies
            api.send("PATCH", secret, "{\"comment\": \"for people\"}");
            api.send("DELETE", secret, null);

            // then
            JsonNode deleted = stream.next("secrets").data();
            assertThat(deleted.at("/removed/0").asText()).endsWith("/KEY");
            assertThat(deleted.path("secrets")).isEmpty();
            assertThat(stream.take()
                            .pipeline()
                            .at("/transforms/1/config/secrets/1/rules/0/host")
                            .asText())
                    .isEqualTo("invalid");
        }
    }

    @Test
    void whatIsHeldIsNotSentTwice() throws Exception {
        FeedStream.Event first;
        String pipelineHash;
        try (FeedStream stream = open()) {
            stream.next("secrets");
            first = stream.take();
            api.send("PATCH", secret, "{\"secret\": \"" + VALUE + "2\"}");
            stream.next("secrets");
            first = stream.take();
            pipelineHash = first.data().path("pipeline_hash").asText();
        }
        String hash = first.data().path("hash").asText();
        try (FeedStream stream = open("Last-Event-ID", position(first), "Sallyport-Snapshot", hash)) {
            stream.next("hello");
            assertThat(stream.next().name()).isEqualTo("current");
        }

        // when
        api.send("PATCH", secret, "{\"secret\": \"" + OTHER + "\"}");

        // then
        try (FeedStream stream = open(
                "Last-Event-ID", position(first), "Sallyport-Snapshot", hash, "Sallyport-Pipeline", pipelineHash)) {
            String epoch = stream.next("hello").data().path("epoch").asText();
            assertThat(opened(stream.next("secrets").data(), id, epoch)).isEqualTo(Map.of("KEY", OTHER));
            assertThat(stream.next("snapshot").data().path("pipeline_hash").asText())
                    .isEqualTo(pipelineHash);
        }
    }

    @Test
    void anotherOrganizationGetsNothingOfIt() throws Exception {
        Api other = control.newAccount();
        String theirs = other.post("/v1/proxies", "{\"name\": \"p\"}")
                .data()
                .path("token")
                .asText();
        try (FeedStream stream = FeedStream.open(control.address(), theirs, "Sallyport-Key", publicKey())) {
            assertThat(stream.next("secrets").data().path("secrets")).isEmpty();
            assertThat(stream.take().text()).doesNotContain("SALLYPORT_PROXY_KEY");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"!", "AAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="})
    void whatIsNoKeyIsRefused(String text) throws Exception {
        FeedStream.Opening opening = FeedStream.connect(control.address(), token, "Sallyport-Key", text);

        assertThat(opening.status()).isEqualTo(400);
        assertThat(opening.text()).contains("bad_request", "Sallyport-Key");
    }

    /** A policy cannot name what is delivered: neither one's own secrets nor those of others. */
    @Test
    void noPolicyNamesAStoredSecret() {
        assertThat(api.post(
                                "/v1/policies/secrets",
                                "{\"name\": \"x\", \"priority\": 1, \"mode\": \"inject\", \"source\": {\"type\": \"control_plane\", \"ref\": \"org_a/sec_a/KEY\"}, \"inject_config\": {\"header\": \"X\"}}")
                        .error())
                .isEqualTo("422 validation_error");
    }

    /** A value that cannot be decrypted keeps nothing else from coming. */
    @Test
    void aValueThatCannotBeDecryptedIsAbsent() throws Exception {
        made("GOOD", OTHER);
        control.execute("update secret set sealed_value = name_key where id = '" + secret.replaceAll(".*/", "") + "'");
        api.post("/v1/policies/network", "{\"name\": \"n\", \"priority\": 1, \"rules\": [{\"host\": \"a.test\"}]}");
        try (FeedStream stream = open()) {
            JsonNode secrets = stream.next("secrets").data().path("secrets");

            assertThat(secrets)
                    .hasSize(1)
                    .allMatch(one -> one.path("id").asText().endsWith("/GOOD") && one.has("value"));
            assertThat(stream.take().text()).contains("a.test");
            api.post("/v1/policies/network", "{\"name\": \"m\", \"priority\": 1, \"rules\": [{\"host\": \"b.test\"}]}");
            assertThat(stream.take().text()).as("nothing of secrets before it").contains("b.test");
        }
    }
}
