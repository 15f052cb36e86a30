package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Who guesses passwords stops itself, and does not keep the owner out. */
class SignInTest {

    private static final int STRANGERS = 60;

    private static Api.Reply signIn(Api browser, String address, String email, String password) {
        return browser.withHeader("X-Forwarded-For", address)
                .withHeader("Content-Type", "application/x-www-form-urlencoded")
                .post(
                        "/device/sign-in",
                        "email=" + URLEncoder.encode(email, StandardCharsets.UTF_8) + "&password="
                                + URLEncoder.encode(password, StandardCharsets.UTF_8));
    }

    /** The mark that the answer gives to the browser. */
    private static Api marked(Api browser, Api.Reply reply) {
        String mark = reply.headers().allValues("Set-Cookie").stream()
                .filter(cookie -> cookie.startsWith("sallyport-known="))
                .findFirst()
                .orElseThrow();
        assertThat(mark).containsIgnoringCase("HttpOnly").contains("SameSite=Lax");
        return browser.withHeader("Cookie", mark.replaceAll(";.*", ""));
    }

    @Test
    void theOwnerGetsInFromAKnownBrowserWhileStrangersGuessFromEverywhere() {
        try (TestControl control = TestControl.with(TestControl.NO_LIMITS + "  trusted_proxies: [127.0.0.0/8]\n")) {
            String email = TestControl.newEmail();
            control.newAccount(email);
            String other = TestControl.newEmail();
            control.newAccount(other);
            Api nobody = control.anonymous();
            Api known = marked(nobody, signIn(nobody, "203.0.113.1", email, "correct horse"));
            Api foreign = marked(nobody, signIn(nobody, "203.0.113.2", other, "correct horse"));

            for (int i = 0; i < STRANGERS; i++) {
                signIn(nobody, "198.51.100." + i, email, "wrong");
                signIn(nobody, "203.0.113.1", email, "wrong");
            }

            assertThat(signIn(nobody, "198.51.100.200", email, "correct horse").status())
                    .as("a stranger, from a site that guesses")
                    .isEqualTo(429);
            assertThat(signIn(foreign, "198.51.100.200", email, "correct horse").status())
                    .as("with the mark of another account")
                    .isEqualTo(429);
            assertThat(signIn(nobody, "192.0.2.1", email, "correct horse").status())
                    .as("the owner without a mark, from elsewhere")
                    .isEqualTo(303);
            assertThat(signIn(known, "192.0.2.1", email, "correct horse").status())
                    .as("the owner, from a new address")
                    .isEqualTo(303);
            assertThat(signIn(known, "203.0.113.1", email, "correct horse").status())
                    .as("the owner, from the address that guesses")
                    .isEqualTo(303);
        }
    }

    @Test
    void anOwnerWithoutAMarkGetsInWhileOneNetworkGuesses() {
        try (TestControl control = TestControl.with(TestControl.NO_LIMITS + "  trusted_proxies: [127.0.0.0/8]\n")) {
            String email = TestControl.newEmail();
            control.newAccount(email);
            Api nobody = control.anonymous();
            for (int i = 0; i < STRANGERS; i++) {
                signIn(nobody, "198.51.100.1", email, "wrong");
            }

            assertThat(signIn(nobody, "198.51.100.1", email, "correct horse").status())
                    .isEqualTo(429);
            assertThat(signIn(nobody, "192.0.2.1", email, "correct horse").status())
                    .isEqualTo(303);
        }
    }

    @Test
    void aKnownBrowserThatIsWrongTenTimesIsStopped() {
        TestControl control = TestControl.shared();
        String email = TestControl.newEmail();
        control.newAccount(email);
        Api nobody = control.anonymous();
        Api known = marked(nobody, signIn(nobody, "", email, "correct horse"));

        for (int i = 0; i < 10; i++) {
            assertThat(signIn(known, "", email, "wrong").status()).isEqualTo(401);
        }
        assertThat(signIn(known, "", email, "correct horse").status()).isEqualTo(429);
    }

    @Test
    void aMarkIsWorthNothingAfterThePasswordWasChanged() {
        try (TestControl control = TestControl.with(TestControl.NO_LIMITS + "  trusted_proxies: [127.0.0.0/8]\n")) {
            String email = TestControl.newEmail();
            control.newAccount(email);
            Api nobody = control.anonymous();
            Api old = marked(nobody, signIn(nobody, "203.0.113.1", email, "correct horse"));
            control.resetPassword(email, "another horse");
            Api known = marked(nobody, signIn(nobody, "203.0.113.1", email, "another horse"));
            for (int i = 0; i < STRANGERS; i++) {
                signIn(nobody, "198.51.100." + i, email, "wrong");
            }

            assertThat(signIn(old, "198.51.100.200", email, "another horse").status())
                    .isEqualTo(429);
            assertThat(signIn(known, "198.51.100.200", email, "another horse").status())
                    .isEqualTo(303);
        }
    }

    @Test
    void whatIsNoMarkIsTheSameAsNone() {
        TestControl control = TestControl.shared();
        String email = TestControl.newEmail();
        control.newAccount(email);
        for (String mark : new String[] {"x", "AAAA", "A".repeat(76), "A".repeat(3000), "%00", "=="}) {
            Api browser = control.anonymous().withHeader("Cookie", "sallyport-known=" + mark);

            assertThat(signIn(browser, "", email, "correct horse").status())
                    .as(mark)
                    .isEqualTo(303);
        }
    }
}
