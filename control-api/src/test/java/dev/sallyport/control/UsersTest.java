package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sign-up, verification, keys, and who one is. */
class UsersTest {

    private static final Pattern LINK = Pattern.compile("http://\\S+/verify\\?token=\\S+");

    private final TestControl control = TestControl.shared();
    private final Api nobody = control.anonymous();

    private static ObjectNode draft(String email) {
        return (ObjectNode) Api.tree("{\"first_name\": \"Ada\", \"last_name\": \"Lovelace\", \"email\": \"" + email
                + "\", \"password\": \"correct horse\"}");
    }

    @Test
    void signUpAnswers201WithUserAndKeyAndTheTokenWorksAtOnce() {
        String email = "Ada." + TestControl.newEmail();

        Api.Reply reply = nobody.post("/v1/users", draft(email).toString());

        assertThat(reply.status()).isEqualTo(201);
        assertThat(reply.json().propertyStream().map(Map.Entry::getKey)).containsExactly("api_key", "user");
        JsonNode key = reply.json().path("api_key");
        JsonNode user = reply.json().path("user");
        assertThat(key.path("id").asText()).matches("key_[0-9a-z]{26}");
        assertThat(key.path("name").asText()).isEqualTo("default");
        assertThat(key.path("token").asText()).matches("sp_live_[A-Za-z0-9_-]{43}");
        assertThat(user.path("id").asText()).matches("usr_[0-9a-z]{26}");
        assertThat(user.path("first_name").asText()).isEqualTo("Ada");
        assertThat(user.path("last_name").asText()).isEqualTo("Lovelace");
        assertThat(user.path("email").asText()).as("as sent").isEqualTo(email);
        assertThat(user.path("email_verified").asBoolean(true)).isFalse();
        assertThat(reply.text()).doesNotContain("correct horse", "argon2");
        JsonNode me = nobody.withKey(key.path("token").asText()).get("/v1/me").json();
        assertThat(me.path("user")).isEqualTo(user);
        assertThat(me.at("/api_key/id")).isEqualTo(key.path("id"));
        assertThat(me.at("/organization/id").asText()).startsWith("org_");
    }

    @Test
    void anAddressIsTakenWhateverItsCase() {
        String email = TestControl.newEmail();
        nobody.post("/v1/users", draft(email).toString());

        assertThat(nobody.post(
                                "/v1/users",
                                draft(email.toUpperCase(Locale.ROOT)).toString())
                        .error())
                .isEqualTo("409 email_taken");
    }

    @ParameterizedTest
    @ValueSource(strings = {"first_name", "last_name", "email", "password"})
    void allFieldsAreRequired(String field) {
        ObjectNode body = draft(TestControl.newEmail());
        body.remove(field);

        Api.Reply reply = nobody.post("/v1/users", body.toString());

        assertThat(reply.error()).isEqualTo("422 validation_error");
        assertThat(reply.fields()).containsExactly(field);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "first_name,``",
                "first_name,` `",
                "last_name,`a\nb`",
                "email,nobody",
                "email,a@b@c",
                "email,`a b@c.test`",
                "email,`a@c.test\r\nBcc: x@y.test`",
                "email,`<a@c.test>`",
                "email,a.@c.test",
                "email,.a@c.test",
                "email,a..b@c.test",
                "password,short12"
            })
    void fieldsThatAreWrongAre422(String field, String value) {
        ObjectNode body = draft(TestControl.newEmail());
        body.put(field, value);

        assertThat(nobody.post("/v1/users", body.toString()).fields()).containsExactly(field);
    }

    @Test
    void fieldsHaveLengths() {
        ObjectNode body = draft("a".repeat(64) + "@" + "b".repeat(200) + ".test");
        body.put("first_name", "x".repeat(65)).put("last_name", "x".repeat(65)).put("password", "x".repeat(257));

        assertThat(nobody.post("/v1/users", body.toString()).fields())
                .containsExactlyInAnyOrder("first_name", "last_name", "email", "password");
    }

    @Test
    void aMailHasALinkThatVerifiesOnce() {
        String email = TestControl.newEmail();
        Api api = control.newAccount(email);
        String link = link(email);
        String path = link.substring(link.indexOf("/verify"));

        assertThat(link).startsWith(control.address().toString());
        assertThat(nobody.send("HEAD", path, null).status()).isEqualTo(200);
        assertThat(api.get("/v1/me").json().at("/user/email_verified").asBoolean(true))
                .isFalse();
        assertThat(nobody.get(path).text()).contains("is verified");
        assertThat(api.get("/v1/me").json().at("/user/email_verified").asBoolean())
                .isTrue();
        Api.Reply again = nobody.get(path);
        assertThat(again.status()).isEqualTo(200);
        assertThat(again.text()).contains("was already verified");
        assertThat(api.get("/v1/audit/admin?resource=user&action=update").data())
                .hasSize(1);
        JsonNode event =
                api.get("/v1/audit/admin?resource=user&action=update").data().path(0);
        assertThat(event.path("remote_addr").asText()).isEqualTo("127.0.0.1");
        assertThat(event.at("/actor/user_id").asText()).startsWith("usr_");
    }

    @Test
    void theLinkIsGoodFor24Hours() {
        String email = TestControl.newEmail();
        Api api = control.newAccount(email);
        String link = link(email);

        control.clock().advance(Duration.ofHours(24).plusSeconds(1));

        assertThat(nobody.get(link.substring(link.indexOf("/verify"))).status()).isEqualTo(404);
        assertThat(api.get("/v1/me").json().at("/user/email_verified").asBoolean(true))
                .isFalse();
    }

    private String link(String email) {
        return Awaitility.await()
                .until(
                        () -> Arrays.stream(control.mail().getReceivedMessages())
                                .filter(message -> isTo(message, email))
                                .map(UsersTest::text)
                                .map(LINK::matcher)
                                .filter(Matcher::find)
                                .map(Matcher::group)
                                .findFirst()
                                .orElse(""),
                        found -> !found.isEmpty());
    }

    private static boolean isTo(MimeMessage message, String email) {
        try {
            return message.getAllRecipients().length == 1
                    && message.getAllRecipients()[0].toString().equals(email);
        } catch (MessagingException e) {
            throw new AssertionError(e);
        }
    }

    private static String text(MimeMessage message) {
        try {
            return message.getContent().toString();
        } catch (MessagingException | IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void keysAreMadeListedAndRevoked() {
        Api api = control.newAccount();

        Api.Reply made = api.post("/v1/api-keys", "{\"name\": \"ci\"}");
        String token = made.json().path("token").asText();
        String id = made.json().path("id").asText();

        assertThat(made.status()).isEqualTo(201);
        assertThat(made.json().path("expires_at").isNull()).isTrue();
        assertThat(token).startsWith(made.json().path("prefix").asText());
        Api other = nobody.withKey(token);
        assertThat(other.get("/v1/me").json().at("/api_key/name").asText()).isEqualTo("ci");
        Api.Reply list = api.get("/v1/api-keys");
        assertThat(list.data().findValuesAsText("name")).containsExactly("ci", "default");
        assertThat(list.text()).doesNotContain(token);
        assertThat(api.get("/v1/api-keys?name=ci").data()).hasSize(1);
        assertThat(api.delete("/v1/api-keys/" + id).status()).isEqualTo(204);
        assertThat(other.get("/v1/me").error()).isEqualTo("401 unauthorized");
        assertThat(api.delete("/v1/api-keys/" + id).error()).isEqualTo("404 api_key_not_found");
        assertThat(api.get("/v1/api-keys").data()).hasSize(1);
    }

    @Test
    void aKeyExpires() {
        Api api = control.newAccount();
        String at = control.clock().instant().plusSeconds(3600).toString();
        Api.Reply made = api.post("/v1/api-keys", "{\"name\": \"short\", \"expires_at\": \"" + at + "\"}");
        Api other = nobody.withKey(made.json().path("token").asText());
        assertThat(other.get("/v1/me").status()).isEqualTo(200);

        control.clock().advance(Duration.ofHours(1).plusSeconds(1));

        assertThat(other.get("/v1/me").error()).isEqualTo("401 unauthorized");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"2001-01-01T00:00:00Z\"", "\"tomorrow\"", "17", "\"2030-01-01\""})
    void anotherExpiryIs422(String at) {
        assertThat(control.newAccount()
                        .post("/v1/api-keys", "{\"name\": \"k\", \"expires_at\": " + at + "}")
                        .fields())
                .containsExactly("expires_at");
    }

    @Test
    void keysArePagedWithCursorsThatAreStableUnderChanges() {
        Api api = control.newAccount();
        for (int i = 0; i < 6; i++) {
            api.post("/v1/api-keys", "{\"name\": \"k" + i + "\"}");
        }
        List<String> seen = new ArrayList<>();
        Api.Reply page = api.get("/v1/api-keys?limit=3");
        seen.addAll(page.data().findValuesAsText("name"));
        String cursor = page.json().path("cursor").asText();

        api.post("/v1/api-keys", "{\"name\": \"new\"}");
        api.delete("/v1/api-keys/" + page.data().get(2).path("id").asText());
        Api.Reply second = api.get("/v1/api-keys?limit=3&cursor=" + cursor);
        seen.addAll(second.data().findValuesAsText("name"));
        Api.Reply third = api.get(
                "/v1/api-keys?limit=3&cursor=" + second.json().path("cursor").asText());
        seen.addAll(third.data().findValuesAsText("name"));

        assertThat(seen).containsExactly("k5", "k4", "k3", "k2", "k1", "k0", "default");
        assertThat(third.json().path("has_more").asBoolean(true)).isFalse();
        assertThat(third.json().path("cursor").isNull()).isTrue();
        assertThat(api.get("/v1/api-keys?limit=3&order=asc&cursor=" + cursor).fields())
                .containsExactly("cursor");
        assertThat(api.get("/v1/api-keys?name=k1&cursor=" + cursor).fields()).containsExactly("cursor");
        assertThat(api.get("/v1/api-keys?cursor=nonsense").fields()).containsExactly("cursor");
        assertThat(api.get("/v1/api-keys?limit=201").fields()).containsExactly("limit");
    }

    @Test
    void aLastPageThatIsExactlyFullHasNoMore() {
        Api api = control.newAccount();
        api.post("/v1/api-keys", "{\"name\": \"second\"}");

        Api.Reply page = api.get("/v1/api-keys?limit=2");

        assertThat(page.data()).hasSize(2);
        assertThat(page.json().path("has_more").asBoolean(true)).isFalse();
        assertThat(page.json().path("cursor").isNull()).isTrue();
    }

    @Test
    void nothingThatIsSecretIsStored() throws Exception {
        if (Database.isPostgres()) {
            return;
        }
        String email = TestControl.newEmail();
        ObjectNode body = draft(email);
        body.put("password", "a very secret password");
        String token = nobody.withHeader("Idempotency-Key", "k-" + email)
                .post("/v1/users", body.toString())
                .json()
                .at("/api_key/token")
                .asText();

        StringBuilder all = new StringBuilder();
        try (Stream<Path> files = Files.list(control.stateFolder())) {
            for (Path file : files.filter(path -> path.getFileName().toString().startsWith("control.db"))
                    .toList()) {
                all.append(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
            }
        }

        assertThat(all.toString()).contains(email).doesNotContain(token, "a very secret password");
    }

    @Test
    void aDeviceGetsNothingAnyMoreWhenItsKeyIsRevoked() {
        Api api = control.newAccount();
        String code =
                nobody.post("/v1/auth/device/code", null).data().path("code").asText();
        api.post("/v1/auth/device/approve", "{\"code\": \"" + code + "\"}");
        String poll = "/v1/auth/device/poll?code=" + code;
        String token = nobody.get(poll).data().path("token").asText();
        String id = nobody.withKey(token).get("/v1/me").json().at("/api_key/id").asText();

        api.delete("/v1/api-keys/" + id);

        assertThat(nobody.get(poll).data()).isEqualTo(Api.tree("{\"status\": \"expired\"}"));
    }

    @Test
    void signUpThatIsClosedIs403() {
        try (TestControl closed = TestControl.with("  sign_up: closed\n")) {
            assertThat(closed.anonymous()
                            .post("/v1/users", draft(TestControl.newEmail()).toString())
                            .error())
                    .isEqualTo("403 sign_up_closed");
            assertThat(closed.anonymous().post("/v1/users", "{}").error()).isEqualTo("403 sign_up_closed");
        }
    }

    @Test
    void anOrganizationHasAtMost100ValidKeys() {
        Api api = control.newAccount();
        String at = control.clock().instant().plusSeconds(60).toString();
        api.post("/v1/api-keys", "{\"name\": \"short\", \"expires_at\": \"" + at + "\"}");
        String last = "";
        for (int i = 0; i < 98; i++) {
            Api.Reply made = api.post("/v1/api-keys", "{\"name\": \"k\"}");
            assertThat(made.status()).isEqualTo(201);
            last = made.json().path("id").asText();
        }

        assertThat(api.post("/v1/api-keys", "{\"name\": \"more\"}").error()).isEqualTo("409 quota_exceeded");
        String code =
                nobody.post("/v1/auth/device/code", null).data().path("code").asText();
        assertThat(api.post("/v1/auth/device/approve", "{\"code\": \"" + code + "\"}")
                        .error())
                .isEqualTo("409 quota_exceeded");
        api.delete("/v1/api-keys/" + last);
        assertThat(api.post("/v1/api-keys", "{\"name\": \"more\"}").status()).isEqualTo(201);
        control.clock().advance(Duration.ofMinutes(2));
        assertThat(api.post("/v1/api-keys", "{\"name\": \"after\"}").status()).isEqualTo(201);
        assertThat(api.post("/v1/api-keys", "{\"name\": \"more\"}").error()).isEqualTo("409 quota_exceeded");
    }
}
