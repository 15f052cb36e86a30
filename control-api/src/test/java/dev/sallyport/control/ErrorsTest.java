package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One shape of errors, whatever is wrong, in the order of checks. */
class ErrorsTest {

    private static final String POLICIES = "/v1/policies/network";

    private final Api nobody = TestControl.shared().anonymous();
    private Api api;

    @BeforeEach
    void signUp() {
        api = TestControl.shared().newAccount();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/me", "/v1/unknown", "/v1", "/v1/policies/secrets/spol_1", "/v1/users/1"})
    void withoutAKeyEveryRouteIs401KnownOrNot(String path) {
        Api.Reply reply = nobody.get(path);

        assertThat(reply.error()).isEqualTo("401 unauthorized");
        assertThat(reply.header("WWW-Authenticate")).isEqualTo("Bearer");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "sp_live_x", "sp_live_0123456789012345678901234567890123456789012"})
    void anInvalidKeyIs401(String key) {
        assertThat(nobody.withKey(key).get("/v1/me").error()).isEqualTo("401 unauthorized");
    }

    @Test
    void anotherSchemeThanBearerIs401() {
        assertThat(nobody.withHeader("Authorization", "Basic eDp5")
                        .get("/v1/me")
                        .error())
                .isEqualTo("401 unauthorized");
    }

    @Test
    void theSchemeIsCaseInsensitive() {
        assertThat(nobody.withHeader("Authorization", "bEARER " + api.key())
                        .get("/v1/me")
                        .status())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/unknown", "/v1", "/v1/policies", "/v1/policies/secrets/a/b"})
    void anUnknownRouteIs404(String path) {
        assertThat(api.get(path).error()).isEqualTo("404 not_found");
    }

    @Test
    void anUnknownPageIs404InTheSameShape() {
        assertThat(nobody.get("/nowhere").error()).isEqualTo("404 not_found");
    }

    @ParameterizedTest
    @CsvSource({"PATCH,/v1/policies/network", "DELETE,/v1/me", "PUT,/v1/api-keys", "POST,/v1/me"})
    void anotherMethodIs405WithAllow(String method, String path) {
        Api.Reply reply = api.send(method, path, null);

        assertThat(reply.error()).isEqualTo("405 method_not_allowed");
        assertThat(reply.header("Allow")).contains("GET");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/plain",
                "application/xml",
                "application/x-www-form-urlencoded",
                "multipart/form-data; boundary=x",
                "application/json; charset=iso-8859-1",
                "application/json; charset=nonsense"
            })
    void anotherMediaTypeIs415(String type) {
        Api.Reply reply = api.withHeader("Content-Type", type).post(POLICIES, "{}");

        assertThat(reply.error()).isEqualTo("415 unsupported_media_type");
        assertThat(reply.text()).contains("media type " + type);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "application/json",
                "application/json;charset=UTF-8",
                "application/vnd.api+json",
                "application/json; charset=\"utf-8\""
            })
    void jsonInUtf8IsAccepted(String type) {
        assertThat(api.withHeader("Content-Type", type).post(POLICIES, "{}").error())
                .isEqualTo("422 validation_error");
    }

    @Test
    void noContentTypeIsJson() {
        assertThat(api.post(POLICIES, "{\"name\": \"a\", \"priority\": 1}").status())
                .isEqualTo(201);
    }

    @Test
    void aBodyOfMoreThan2MiBIs413() {
        byte[] body = ("{\"name\": \"" + "x".repeat(2 << 20) + "\"}").getBytes(StandardCharsets.UTF_8);

        assertThat(api.sendBytes("POST", POLICIES, body).error()).isEqualTo("413 payload_too_large");
        assertThat(nobody.sendBytes("POST", POLICIES, body).error()).isEqualTo("401 unauthorized");
        assertThat(api.withHeader("Content-Type", "text/plain")
                        .sendBytes("POST", POLICIES, body)
                        .error())
                .isEqualTo("415 unsupported_media_type");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "   ",
                "{",
                "nonsense",
                "{\"name\": \"a\", \"name\": \"b\", \"priority\": 1}",
                "{\"name\": \"a\", \"priority\": 1} {}",
                "{\"name\": \"a\", \"priority\": 01}",
                "{'name': 1}"
            })
    void whatIsNoJsonIs400(String body) {
        assertThat(api.post(POLICIES, body).error()).isEqualTo("400 bad_request");
    }

    @ParameterizedTest
    @CsvSource({
        "POST,/v1/policies/network",
        "PATCH,/v1/secrets/sec_1",
        "PUT,/v1/env/KEY",
        "POST,/v1/users",
        "POST,/v1/api-keys"
    })
    void aBodyThatIsMissingIsToldAndTheConnectionStaysOpen(String method, String path) {
        for (String body : Arrays.asList(null, "")) {
            Api.Reply reply = api.send(method, path, body);

            assertThat(reply.error()).isEqualTo("400 bad_request");
            assertThat(reply.text()).contains("no body (expected: JSON)");
            assertThat(reply.header("Connection")).isNotEqualTo("close");
        }
    }

    @Test
    void aFormThatIsMissingIsToldToo() {
        Api.Reply reply = nobody.withHeader("Content-Type", "application/x-www-form-urlencoded")
                .post("/device/sign-in", "");

        assertThat(reply.status()).isIn(400, 401);
        assertThat(reply.header("Connection")).isNotEqualTo("close");
    }

    @Test
    void whatIsNoUtf8Is400() {
        byte[] latin = "{\"name\": \"é\"}".getBytes(StandardCharsets.ISO_8859_1);

        assertThat(api.sendBytes("POST", POLICIES, latin).error()).isEqualTo("400 bad_request");
        assertThat(api.sendBytes("POST", POLICIES, "{}".getBytes(StandardCharsets.UTF_16))
                        .error())
                .isEqualTo("400 bad_request");
    }

    @Test
    void deepNestingIs400() {
        assertThat(api.post(POLICIES, "[".repeat(20_000)).error()).isEqualTo("400 bad_request");
    }

    @Test
    void aBodyThatIsNoObjectIs422() {
        assertThat(api.post(POLICIES, "[]").error()).isEqualTo("422 validation_error");
        assertThat(api.post(POLICIES, "null").error()).isEqualTo("422 validation_error");
    }

    @Test
    void anUnknownFieldIs422AndAllProblemsComeAtOnceWithoutJavaNames() {
        Api.Reply reply = api.post(POLICIES, "{\"nme\": \"a\", \"priority\": \"x\", \"active\": 1, \"rules\": {}}");

        assertThat(reply.error()).isEqualTo("422 validation_error");
        assertThat(reply.fields()).containsExactlyInAnyOrder("nme", "name", "priority", "active", "rules");
        assertThat(reply.text()).doesNotContain("java", "Exception", "dev.sallyport", "record", "Integer");
    }

    @Test
    void nullIsAbsentWhereAFieldIsOptionalAndElse422() {
        assertThat(api.post(POLICIES, "{\"name\": \"nulls\", \"priority\": 1, \"active\": null, \"rules\": null}")
                        .status())
                .isEqualTo(201);
        assertThat(api.post(POLICIES, "{\"name\": null, \"priority\": 1}").fields())
                .containsExactly("name");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\\u0000b", "\\ud800", "\\udc00x"})
    void textThatNoDatabaseKeepsIs422(String text) {
        Api.Reply reply = api.post(POLICIES, "{\"name\": \"a\", \"priority\": 1, \"match_tags\": [\"" + text + "\"]}");

        assertThat(reply.error()).isEqualTo("422 validation_error");
        assertThat(reply.fields()).containsExactly("match_tags[0]");
    }

    /** 401, unknown route, 405, 415, 413, 400, resource, 422, 409: each request is wrong in all that follows, too. */
    @Test
    void checksComeInTheirOrder() {
        String policy = "{\"name\": \"order\", \"priority\": 1}";
        String taken =
                POLICIES + "/" + api.post(POLICIES, policy).data().path("id").asText();
        api.post(POLICIES, policy.replace("order", "other"));
        String unknown = POLICIES + "/npol_x";
        byte[] large = "{".repeat(3 << 20).getBytes(StandardCharsets.UTF_8);
        Api text = api.withHeader("Content-Type", "text/plain");

        assertThat(text.withKey("wrong").sendBytes("POST", "/v1/unknown", large).error())
                .isEqualTo("401 unauthorized");
        assertThat(text.sendBytes("POST", "/v1/unknown", large).error()).isEqualTo("404 not_found");
        assertThat(text.sendBytes("PATCH", unknown, large).error()).isEqualTo("405 method_not_allowed");
        assertThat(text.sendBytes("PUT", unknown, large).error()).isEqualTo("415 unsupported_media_type");
        assertThat(api.sendBytes("PUT", unknown, large).error()).isEqualTo("413 payload_too_large");
        assertThat(api.put(unknown, "{").error()).isEqualTo("400 bad_request");
        assertThat(api.put(unknown, "{\"name\": \"other\"}").error()).isEqualTo("404 network_policy_not_found");
        assertThat(api.put(taken, "{\"name\": \"other\"}").error()).isEqualTo("422 validation_error");
        assertThat(api.put(taken, policy.replace("order", "other")).error()).isEqualTo("409 network_policy_name_taken");
    }

    @Test
    void headIsGetWithoutItsBody() {
        Api.Reply reply = api.send("HEAD", "/v1/me", null);

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.text()).isEmpty();
    }

    @Test
    void optionsIs204() {
        Api.Reply reply = api.send("OPTIONS", POLICIES, null);

        assertThat(reply.status()).isEqualTo(204);
        assertThat(reply.header("Allow")).contains("POST");
        assertThat(reply.text()).isEmpty();
    }

    @Test
    void oneTrailingSlashIsIgnored() {
        assertThat(api.get("/v1/me/").status()).isEqualTo(200);
        assertThat(api.get(POLICIES + "/").status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/html", "application/xml", "nonsense", "*/*"})
    void acceptIsIgnored(String accept) {
        Api.Reply reply = api.withHeader("Accept", accept).get("/v1/me");

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.header("Content-Type")).isEqualTo("application/json");
        assertThat(api.withHeader("Accept", accept).get("/v1/nothing").header("Content-Type"))
                .isEqualTo("application/json");
    }

    @Test
    void aBodyWhereNoneIsSpecifiedIsIgnored() {
        assertThat(api.withHeader("Content-Type", "text/plain")
                        .send("GET", "/v1/me", "nonsense")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void unknownParametersAreIgnoredAndARepeatedKnownOneIs422() {
        assertThat(api.get(POLICIES + "?unknown=1&unknown=2").status()).isEqualTo(200);
        Api.Reply reply = api.get(POLICIES + "?name=a&name=b");
        assertThat(reply.error()).isEqualTo("422 validation_error");
        assertThat(reply.fields()).containsExactly("name");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "TRUE", "yes", ""})
    void booleansAreTrueAndFalseOnly(String value) {
        assertThat(api.get(POLICIES + "?active=" + value).fields()).containsExactly("active");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/policies/secrets/%zz", "/v1/policies/secrets?name=%zz", "/v1/%"})
    void aMalformedTargetIs400(String target) {
        assertThat(RawHttp.get(TestControl.shared().address(), target, api.key()))
                .startsWith("HTTP/1.1 400 ")
                .contains("\"code\":\"bad_request\"");
    }

    @Test
    void everyAnswerHasSecurityHeaders() {
        assertThat(api.get("/v1/me").header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(api.get("/v1/me").header("Cache-Control")).isEqualTo("no-store");
        assertThat(api.get("/v1/nothing").header("X-Content-Type-Options")).isEqualTo("nosniff");
    }

    @Test
    void healthAndReadinessNeedNoKey() {
        assertThat(nobody.get("/healthz").text()).isEqualTo("OK");
        assertThat(nobody.get("/readyz").text()).isEqualTo("OK");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/users", "/v1/auth/device/code", "/v1/auth/device/poll", "/v1/openapi.json"})
    void onAnOpenPathOptionsAndOtherMethodsNeedNoKey(String path) {
        Api.Reply options = nobody.send("OPTIONS", path, null);
        Api.Reply other = nobody.send("DELETE", path, null);

        assertThat(options.status()).isEqualTo(204);
        assertThat(options.header("Allow")).isNotEmpty();
        assertThat(other.error()).isEqualTo("405 method_not_allowed");
        assertThat(other.header("Allow")).isEqualTo(options.header("Allow"));
        assertThat(nobody.send("OPTIONS", "/v1/me", null).error()).isEqualTo("401 unauthorized");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/users", "/v1/api-keys", "/v1/auth/device/approve", "/v1/egress/rules"})
    void whereBodiesAreSmallOneOfMoreThan16KiBIs413(String path) {
        String body = "{\"name\": \"" + "x".repeat(17 << 10) + "\"}";

        Api.Reply reply = api.post(path, body);

        assertThat(reply.error()).isEqualTo("413 payload_too_large");
        assertThat(reply.text()).contains("16 KiB");
        assertThat(chunked(path, body)).isEqualTo(413);
    }

    /** The status of a POST whose length is not told before. */
    private int chunked(String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create(TestControl.shared().address() + path))
                .header("Authorization", "Bearer " + api.key())
                .POST(HttpRequest.BodyPublishers.ofInputStream(
                        () -> new ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8))))
                .build();
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aListThatIsMuchTooLongIsOneProblemAndTakesNoTime() {
        String tags = "\"\",".repeat(690_000);
        String body = "{\"name\": \"a\", \"priority\": 1, \"match_tags\": [" + tags + "\"\"]}";

        Api.Reply reply = api.post(POLICIES, body);

        assertThat(reply.error()).isEqualTo("422 validation_error");
        assertThat(reply.fields()).containsExactly("match_tags");
    }

    @Test
    void atMost100ProblemsAreTold() {
        StringBuilder body = new StringBuilder("{");
        for (int i = 0; i < 1000; i++) {
            body.append(i == 0 ? "" : ",").append("\"u").append(i).append("\": 1");
        }

        Api.Reply reply = nobody.post("/v1/users", body.append('}').toString());

        assertThat(reply.error()).isEqualTo("422 validation_error");
        assertThat(reply.fields()).hasSize(100);
    }
}
