package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.BeforeEach;

/** What tests of {@code /v1/secrets} share: an account for each, and bodies. */
abstract class SecretSuite {

    static final String PATH = "/v1/secrets";

    final TestControl control = TestControl.shared();
    Api api;

    @BeforeEach
    void signUp() {
        api = control.newAccount();
    }

    static String body(String name, String variable) {
        return "{\"name\": \"" + name + "\", \"secret\": \"s3cr3t-value\", \"env_var\": \"" + variable + "\"}";
    }

    static String with(String field, String json) {
        return Api.with(body("a", "A"), field, json);
    }

    JsonNode made(String body) {
        Api.Reply reply = api.post(PATH, body);
        assertThat(reply.status()).as(reply.text()).isEqualTo(201);
        return reply.json();
    }

    static String path(JsonNode secret) {
        return PATH + "/" + secret.path("id").asText();
    }
}
