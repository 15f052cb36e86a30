package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sign-in of devices: by a key, and on the page. */
class DevicesTest {

    private static final Pattern CSRF = Pattern.compile("name=\"csrf\" value=\"([^\"]+)\"");
    private static final String UNKNOWN = "00000000000000000000000000";

    private final TestControl control = TestControl.shared();
    private final Api nobody = control.anonymous();

    private String code() {
        return nobody.post("/v1/auth/device/code", null).data().path("code").asText();
    }

    private JsonNode poll(String code) {
        return nobody.get("/v1/auth/device/poll?code=" + code).data();
    }

    private static String approval(String code) {
        return "{\"code\": \"" + code + "\"}";
    }

    @Test
    void aCodeIs26CharactersAndLives10Minutes() {
        Api.Reply reply = nobody.post("/v1/auth/device/code", null);

        assertThat(reply.status()).isEqualTo(200);
        String code = reply.data().path("code").asText();
        assertThat(code).matches("[0-9a-z]{26}");
        assertThat(reply.data().path("verification_uri").asText())
                .isEqualTo(control.address() + "/device?code=" + code);
        assertThat(reply.data().path("expires_at").asText()).endsWith("Z");
        assertThat(poll(code)).isEqualTo(Api.tree("{\"status\": \"pending\"}"));
    }

    @Test
    void pollWithoutACodeIs422AndWithAnUnknownOne404() {
        assertThat(nobody.get("/v1/auth/device/poll").fields()).containsExactly("code");
        assertThat(nobody.get("/v1/auth/device/poll?code=").fields()).containsExactly("code");
        assertThat(nobody.get("/v1/auth/device/poll?code=" + UNKNOWN).error()).isEqualTo("404 device_code_not_found");
    }

    @Test
    void anApprovedCodeGivesTheSameTokenAtEveryPollUntilItExpires() {
        Api api = control.newAccount();
        String code = code();

        Api.Reply approved = api.post("/v1/auth/device/approve", approval(code));

        assertThat(approved.status()).isEqualTo(200);
        assertThat(approved.text()).doesNotContain("sp_live_");
        JsonNode first = poll(code);
        assertThat(first.path("status").asText()).isEqualTo("authorized");
        assertThat(poll(code)).isEqualTo(first);
        JsonNode me = nobody.withKey(first.path("token").asText()).get("/v1/me").json();
        assertThat(me.path("user")).isEqualTo(api.get("/v1/me").json().path("user"));
        assertThat(me.at("/api_key/name").asText()).isEqualTo("device");

        control.clock().advance(Duration.ofMinutes(10).plusSeconds(1));
        assertThat(poll(code)).isEqualTo(Api.tree("{\"status\": \"expired\"}"));
        assertThat(nobody.withKey(first.path("token").asText()).get("/v1/me").status())
                .isEqualTo(200);
    }

    @Test
    void anApprovalIsRefusedForCodesThatAreUnknownUsedOrExpired() {
        Api api = control.newAccount();
        String used = code();
        String late = code();
        api.post("/v1/auth/device/approve", approval(used));

        assertThat(api.post("/v1/auth/device/approve", approval(UNKNOWN)).error())
                .isEqualTo("404 device_code_not_found");
        assertThat(api.post("/v1/auth/device/approve", approval(used)).error()).isEqualTo("409 device_code_used");
        control.clock().advance(Duration.ofMinutes(10).plusSeconds(1));
        assertThat(api.post("/v1/auth/device/approve", approval(late)).error()).isEqualTo("409 device_code_expired");
        assertThat(api.post("/v1/auth/device/approve", "{}").fields()).containsExactly("code");
        assertThat(nobody.post("/v1/auth/device/approve", approval(late)).error())
                .isEqualTo("401 unauthorized");
    }

    /** A browser: it keeps the cookie, and sends Origin with forms. */
    private Api.Reply form(Api browser, String path, String... fields) {
        StringBuilder body = new StringBuilder();
        for (int i = 0; i < fields.length; i += 2) {
            body.append(body.isEmpty() ? "" : "&")
                    .append(fields[i])
                    .append('=')
                    .append(URLEncoder.encode(fields[i + 1], StandardCharsets.UTF_8));
        }
        return browser.withHeader("Content-Type", "application/x-www-form-urlencoded")
                .withHeader("Origin", control.address().toString())
                .post(path, body.toString());
    }

    private Api signedIn(String email, String code) {
        Api.Reply reply = form(nobody, "/device/sign-in", "email", email, "password", "correct horse", "code", code);
        assertThat(reply.status()).isEqualTo(303);
        assertThat(reply.header("Location")).isEqualTo("/device?code=" + code);
        assertThat(reply.header("Set-Cookie")).containsIgnoringCase("HttpOnly").contains("SameSite=Lax");
        return nobody.withHeader("Cookie", reply.header("Set-Cookie").replaceAll(";.*", ""));
    }

    private static String csrf(Api.Reply page) {
        Matcher matcher = CSRF.matcher(page.text());
        assertThat(matcher.find()).as(page.text()).isTrue();
        return matcher.group(1);
    }

    @Test
    void onThePageOneSignsInSeesTheCodeAndApproves() {
        String email = TestControl.newEmail();
        control.newAccount(email);
        String code = code();
        Api.Reply start = nobody.get("/device?code=" + code);
        assertThat(start.status()).isEqualTo(200);
        assertThat(start.header("Content-Security-Policy")).contains("default-src 'none'");
        assertThat(start.header("X-Frame-Options")).isEqualTo("DENY");
        assertThat(start.text()).contains("name=\"password\"").doesNotContain("Approve</button>");

        Api browser = signedIn(email, code);
        Api.Reply page = browser.get("/device?code=" + code);
        assertThat(page.text()).contains(code, email, "Approve</button>");
        Api.Reply done = form(browser, "/device/decide", "code", code, "csrf", csrf(page), "decision", "approve");

        assertThat(done.status()).isEqualTo(200);
        JsonNode poll = poll(code);
        assertThat(poll.path("status").asText()).isEqualTo("authorized");
        assertThat(nobody.withKey(poll.path("token").asText())
                        .get("/v1/me")
                        .json()
                        .at("/user/email")
                        .asText())
                .isEqualTo(email);
    }

    @Test
    void aRefusedCodeIsExpired() {
        String email = TestControl.newEmail();
        control.newAccount(email);
        String code = code();
        Api browser = signedIn(email, code);
        String csrf = csrf(browser.get("/device?code=" + code));

        assertThat(form(browser, "/device/decide", "code", code, "csrf", csrf, "decision", "refuse")
                        .status())
                .isEqualTo(200);

        assertThat(poll(code)).isEqualTo(Api.tree("{\"status\": \"expired\"}"));
        assertThat(browser.get("/device?code=" + code).status()).isEqualTo(404);
    }

    @Test
    void aCodeMayBeTypedInUpperCaseAndWithoutADecisionThereIsNone() {
        String email = TestControl.newEmail();
        control.newAccount(email);
        String code = code();
        Api browser = signedIn(email, code);
        Api.Reply page = browser.get("/device?code=%20" + code.toUpperCase(Locale.ROOT));
        assertThat(page.text()).contains(code, "Approve</button>");

        Api.Reply none = form(browser, "/device/decide", "code", code, "csrf", csrf(page));
        Api.Reply other = form(browser, "/device/decide", "code", code, "csrf", csrf(page), "decision", "approved");

        assertThat(none.status()).isEqualTo(422);
        assertThat(other.status()).isEqualTo(422);
        assertThat(poll(code).path("status").asText()).isEqualTo("pending");
    }

    @Test
    void formsOfOtherSitesAreRefused() {
        String email = TestControl.newEmail();
        control.newAccount(email);
        String code = code();
        Api browser = signedIn(email, code);
        String csrf = csrf(browser.get("/device?code=" + code));
        Api foreign = browser.withHeader("Content-Type", "application/x-www-form-urlencoded")
                .withHeader("Origin", "https://evil.test");

        assertThat(form(browser, "/device/decide", "code", code, "csrf", "guess", "decision", "approve")
                        .status())
                .isEqualTo(403);
        assertThat(form(browser, "/device/decide", "code", code, "decision", "approve")
                        .status())
                .isEqualTo(403);
        assertThat(foreign.post("/device/decide", "code=" + code + "&csrf=" + csrf + "&decision=approve")
                        .status())
                .isEqualTo(403);
        assertThat(foreign.post("/device/sign-in", "email=" + email + "&password=correct+horse")
                        .status())
                .isEqualTo(403);
        assertThat(form(nobody, "/device/decide", "code", code, "csrf", csrf, "decision", "approve")
                        .status())
                .isEqualTo(401);
        assertThat(poll(code).path("status").asText()).isEqualTo("pending");
    }

    @Test
    void eachSignInBeginsANewSessionAndEndsTheOneBefore() {
        String email = TestControl.newEmail();
        control.newAccount(email);
        String code = code();
        Api first = signedIn(email, code);

        Api.Reply again = form(first, "/device/sign-in", "email", email, "password", "correct horse", "code", code);

        String cookie = again.header("Set-Cookie").replaceAll(";.*", "");
        assertThat(first.get("/device?code=" + code).text()).contains("name=\"password\"");
        assertThat(nobody.withHeader("Cookie", cookie)
                        .get("/device?code=" + code)
                        .text())
                .contains("Approve</button>");
    }

    @Test
    void wrongPasswordsAndUnknownUsersAreToldAlikeAndGuessingIsStopped() {
        String email = TestControl.newEmail();
        control.newAccount(email);

        Api.Reply wrong = form(nobody, "/device/sign-in", "email", email, "password", "wrong", "code", "");
        Api.Reply unknown =
                form(nobody, "/device/sign-in", "email", TestControl.newEmail(), "password", "wrong", "code", "");
        assertThat(wrong.status()).isEqualTo(401);
        assertThat(wrong.text()).contains("value=\"" + email + "\"");
        assertThat(unknown.text().replaceAll("user[0-9]+@", ""))
                .isEqualTo(wrong.text().replaceAll("user[0-9]+@", ""));
        for (int i = 0; i < 9; i++) {
            form(nobody, "/device/sign-in", "email", email, "password", "wrong", "code", "");
        }

        assertThat(form(nobody, "/device/sign-in", "email", email, "password", "correct horse", "code", "")
                        .status())
                .isEqualTo(429);
    }

    @Test
    void whatIsWrittenIntoAPageIsEscaped() {
        Api.Reply page = nobody.get("/device?code=%22%3E%3Cscript%3Ealert(1)%3C/script%3E");

        assertThat(page.text()).doesNotContain("<script>").contains("&quot;&gt;&lt;script&gt;");
        assertThat(page.header("Content-Type")).startsWith("text/html");
    }

    @Test
    void aCodeInTheLocationIsAlwaysOne() {
        String email = TestControl.newEmail();
        control.newAccount(email);

        Api.Reply reply =
                form(nobody, "/device/sign-in", "email", email, "password", "correct horse", "code", "a\r\nX-Evil: 1");

        assertThat(reply.status()).isEqualTo(303);
        assertThat(reply.header("Location")).isEqualTo("/device?code=");
        assertThat(reply.header("X-Evil")).isEmpty();
    }

    @Test
    void ofApprovalsAtOnceOneSucceedsAndItsTokenStays() throws Exception {
        String code = code();
        List<Api> accounts = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            accounts.add(control.newAccount());
        }
        List<Future<Integer>> approvals = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(6)) {
            for (Api account : accounts) {
                approvals.add(threads.submit(() ->
                        account.post("/v1/auth/device/approve", approval(code)).status()));
            }
        }

        List<Integer> statuses = new ArrayList<>();
        for (Future<Integer> approval : approvals) {
            statuses.add(approval.get());
        }
        assertThat(statuses).containsOnly(200, 409).containsOnlyOnce(200);
        Api winner = accounts.get(statuses.indexOf(200));
        JsonNode user = nobody.withKey(poll(code).path("token").asText())
                .get("/v1/me")
                .json()
                .path("user");
        assertThat(user).isEqualTo(winner.get("/v1/me").json().path("user"));
    }

    @Test
    void pagesLetBrowsersNameTheirOriginToThisSiteAlone() {
        assertThat(nobody.get("/device").header("Referrer-Policy")).isEqualTo("same-origin");
        assertThat(nobody.get("/v1/me").header("Referrer-Policy")).isEqualTo("no-referrer");
    }

    @Test
    void aFormWithoutAnOriginThatIsKnownIsRefused() {
        Api form = nobody.withHeader("Content-Type", "application/x-www-form-urlencoded");

        for (String origin : List.of("null", "https://evil.test", "http://127.0.0.1")) {
            assertThat(form.withHeader("Origin", origin)
                            .post("/device/sign-in", "email=a@example.com&password=wrong")
                            .status())
                    .as(origin)
                    .isEqualTo(403);
        }
    }

    @Test
    void signInThatIsStoppedTellsWhenToComeAgain() {
        String email = TestControl.newEmail();
        for (int i = 0; i < 10; i++) {
            form(nobody, "/device/sign-in", "email", email, "password", "wrong", "code", "");
        }

        Api.Reply stopped = form(nobody, "/device/sign-in", "email", email, "password", "wrong", "code", "");

        assertThat(stopped.status()).isEqualTo(429);
        assertThat(stopped.header("Retry-After")).isEqualTo("900");
    }

    @Test
    void whatNoAccountCanHaveIsRefusedLikeAWrongPassword() {
        for (String[] pair : new String[][] {
            {"a\0@example.com", "wrong"},
            {"a".repeat(255), "wrong"},
            {"a@example.com", "w\0"},
            {"a@example.com", "w".repeat(257)}
        }) {
            assertThat(form(nobody, "/device/sign-in", "email", pair[0], "password", pair[1], "code", "")
                            .status())
                    .isEqualTo(401);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 17 << 10})
    void aFormWhoseLengthIsNotKnownBeforeIs411(int length) throws IOException {
        byte[] form = ("email=" + "a".repeat(length) + "&password=x").getBytes(StandardCharsets.US_ASCII);
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(zipped)) {
            zip.write(form);
        }
        FuzzRequest.Field type = new FuzzRequest.Field("Content-Type", "application/x-www-form-urlencoded");
        FuzzRequest.Field coding = new FuzzRequest.Field("Content-Encoding", "gzip");

        for (FuzzRequest request : List.of(
                new FuzzRequest("POST", "/device/sign-in", List.of(type), form, 1000),
                new FuzzRequest("POST", "/device/sign-in", List.of(type, coding), zipped.toByteArray(), 1000),
                new FuzzRequest("POST", "/device/sign-in", List.of(type, coding), zipped.toByteArray(), 0))) {
            try (Wire wire = new Wire(control.address())) {
                assertThat(wire.send(request.bytes("x"), false).error()).isEqualTo("411 length_required");
            }
        }
    }

    @Test
    void aFormOfMoreThan16KiBIs413() {
        assertThat(form(nobody, "/device/sign-in", "email", "a".repeat(17 << 10), "password", "x")
                        .status())
                .isEqualTo(413);
    }
}
