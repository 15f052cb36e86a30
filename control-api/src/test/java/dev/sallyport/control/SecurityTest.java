package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.icegreen.greenmail.util.GreenMailUtil;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.sallyport.control.model.Caller;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Attacks on the control plane. */
class SecurityTest {

    private static final String MARK = "a-secret";
    private static final Set<String> SECRET =
            Set.of("password", "token", "csrf", "link", "code", "passwordHash", "secret", "value");

    /** The code of an error, or of a refusal that is explained; the name of a secret. */
    private static final Set<String> HARMLESS = Set.of("Problem", "Replacement", "Replaced", "Explained");

    private final TestControl control = TestControl.shared();
    private final Api nobody = control.anonymous();

    private Api.Reply signIn(Api browser, String email, String password) {
        return browser.withHeader("Content-Type", "application/x-www-form-urlencoded")
                .post(
                        "/device/sign-in",
                        "email=" + URLEncoder.encode(email, StandardCharsets.UTF_8) + "&password="
                                + URLEncoder.encode(password, StandardCharsets.UTF_8));
    }

    /** The page without the address that was typed, which stands in the form again. */
    private static String withoutTyped(Api.Reply reply) {
        return reply.text().replaceAll("(name=\"email\" value=\")[^\"]*", "$1");
    }

    @Test
    void failuresOfSignInDifferInNothing() {
        String email = TestControl.newEmail();
        control.newAccount(email);

        List<Api.Reply> replies = List.of(
                signIn(nobody, email, "wrong password"),
                signIn(nobody, email, ""),
                signIn(nobody, email, "\u0000"),
                signIn(nobody, TestControl.newEmail(), "correct horse"),
                signIn(nobody, "' or '1'='1", "' or '1'='1"),
                signIn(nobody, "\u0000", "\u0000"));

        assertThat(replies).allSatisfy(reply -> {
            assertThat(reply.status()).isEqualTo(401);
            assertThat(withoutTyped(reply)).isEqualTo(withoutTyped(replies.getFirst()));
            assertThat(reply.headers().map().keySet())
                    .isEqualTo(replies.getFirst().headers().map().keySet());
        });
    }

    @Test
    void anAddressWithoutAnAccountIsLockedAsOneWithOne() {
        String email = TestControl.newEmail();
        for (int i = 0; i < 10; i++) {
            assertThat(signIn(nobody, email, "wrong").status()).isEqualTo(401);
        }

        assertThat(signIn(nobody, email, "wrong").status()).isEqualTo(429);
    }

    @Test
    void aSessionThatSomebodyPlantedIsNotTakenOver() {
        String attacker = TestControl.newEmail();
        String email = TestControl.newEmail();
        control.newAccount(attacker);
        control.newAccount(email);
        String session = cookie(signIn(nobody, attacker, "correct horse"));
        Api planted = nobody.withHeader("Cookie", session);
        assertThat(planted.get("/device").text()).doesNotContain("name=\"password\"");

        Api.Reply reply = signIn(planted, email, "correct horse");

        assertThat(reply.status()).isEqualTo(303);
        assertThat(cookie(reply)).matches("sallyport=[^=]{43}").isNotEqualTo(session);
        assertThat(planted.get("/device").text()).contains("name=\"password\"");
        assertThat(nobody.withHeader("Cookie", cookie(reply)).get("/device").text())
                .doesNotContain("name=\"password\"");
    }

    private static String cookie(Api.Reply reply) {
        return reply.header("Set-Cookie").replaceAll(";.*", "");
    }

    @ParameterizedTest
    @ValueSource(strings = {"evil.test", "evil.test\u0009", "127.0.0.1:1@evil.test"})
    void linksDoNotComeFromTheRequest(String host) throws IOException {
        String email = TestControl.newEmail();
        List<FuzzRequest.Field> fields = List.of(
                new FuzzRequest.Field("Host", host),
                new FuzzRequest.Field("X-Forwarded-Host", "evil.test"),
                new FuzzRequest.Field("Forwarded", "host=evil.test"));
        byte[] body = ("{\"first_name\": \"A\", \"last_name\": \"B\", \"password\": \"correct horse\", \"email\": \""
                        + email + "\"}")
                .getBytes(StandardCharsets.UTF_8);
        try (Wire wire = new Wire(control.address())) {
            Api.Reply code =
                    wire.send(new FuzzRequest("POST", "/v1/auth/device/code", fields, null, 0).bytes("x"), false);
            Api.Reply user = wire.send(new FuzzRequest("POST", "/v1/users", fields, body, 0).bytes("x"), false);

            assertThat(code.text()).doesNotContain("evil");
            assertThat(user.status()).isEqualTo(201);
        }
        String mail = Awaitility.await().until(() -> mailTo(email), text -> !text.isEmpty());
        assertThat(mail).contains(control.address() + "/verify?token=").doesNotContain("evil");
    }

    private String mailTo(String email) {
        return Arrays.stream(control.mail().getReceivedMessages())
                .map(GreenMailUtil::getWholeMessage)
                .filter(text -> text.contains("To: " + email))
                .findFirst()
                .orElse("");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a%0d%0aSet-Cookie:%20x=y", "%0d%0a%0d%0a<script>", "a%00"})
    void nothingOfAQueryBecomesAHeaderField(String text) {
        for (String path : List.of("/device?code=", "/verify?token=", "/v1/policies/secrets?name=", "/v1/")) {
            Api.Reply reply = nobody.get(path + text.replace("<", "%3C").replace(">", "%3E"));

            assertThat(reply.header("Set-Cookie")).isEmpty();
            assertThat(reply.text()).doesNotContain("<script>");
        }
    }

    /** Those of components that say that they hold a secret. */
    @Test
    void recordsDoNotShowTheirSecrets() throws ReflectiveOperationException {
        Set<String> open = new TreeSet<>();
        int examined = 0;
        for (JavaClass type : new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("dev.sallyport.control")) {
            boolean harmless = HARMLESS.contains(type.getSimpleName());
            String text = type.isRecord() && !harmless ? text(type.reflect()) : "";
            examined += text.isEmpty() ? 0 : 1;
            if (text.contains(MARK)) {
                open.add(type.getFullName());
            }
        }

        assertThat(open).isEmpty();
        assertThat(examined).isGreaterThan(5);
    }

    private static String text(Class<?> type) throws ReflectiveOperationException {
        RecordComponent[] components = type.getRecordComponents();
        if (Arrays.stream(components).noneMatch(SecurityTest::isSecret)) {
            return "";
        }
        Object[] values = new Object[components.length];
        Class<?>[] types = new Class<?>[components.length];
        for (int i = 0; i < components.length; i++) {
            types[i] = components[i].getType();
            values[i] = isSecret(components[i]) ? MARK : any(types[i]);
        }
        Constructor<?> constructor = type.getDeclaredConstructor(types);
        constructor.setAccessible(true);
        return constructor.newInstance(values).toString();
    }

    private static @Nullable Object any(Class<?> type) {
        if (type == int.class) {
            return 0;
        }
        if (type == long.class) {
            return 0L;
        }
        if (type == boolean.class) {
            return false;
        }
        if (type == String.class) {
            return "";
        }
        if (type == List.class) {
            return List.of();
        }
        return type == Caller.class ? new Caller("org_", "usr_", null, "") : null;
    }

    private static boolean isSecret(RecordComponent component) {
        return component.getType() == String.class && SECRET.contains(component.getName());
    }
}
