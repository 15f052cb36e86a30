package dev.sallyport.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code login}, {@code logout} and {@code whoami}. */
class LoginTest {

    private static final Pattern CODE = Pattern.compile("(?m)^  ([0-9a-z]{26})$");
    private static final String DEVICE =
            "{\"data\": {\"code\": \"c0de\", \"verification_uri\": \"http://x/device?code=c0de\", \"expires_at\": \"2099-01-01T00:00:00Z\"}}";
    private static final String TOKEN = "sp_live_0123456789012345678901234567890123456789012";
    private static final String ME =
            "{\"user\": {\"id\": \"usr_1\", \"email\": \"ada@example.com\"}, \"organization\": {\"id\": \"org_1\", \"name\": \"Ada\"}, \"api_key\": {\"id\": \"key_1\", \"name\": \"device\"}}";

    private final TestControl control = TestControl.shared();

    @TempDir
    Path folder;

    private Path file() {
        return folder.resolve("sallyport/ctl.json");
    }

    private static String authorized() {
        return "{\"data\": {\"status\": \"authorized\", \"token\": \"" + TOKEN + "\"}}";
    }

    /** Signs in; somebody with this key approves the code while the command waits. */
    private Shell.Result signIn(Shell shell, String key, String... options) {
        StringWriter err = new StringWriter();
        shell.meanwhile(time -> {
            Matcher code = CODE.matcher(err.toString());
            if (code.find()) {
                control.send("POST", "/v1/auth/device/approve", key, "{\"code\": \"" + code.group(1) + "\"}");
            }
        });
        String[] arguments = new String[options.length + 3];
        arguments[0] = "login";
        arguments[1] = "--server";
        arguments[2] = control.url();
        System.arraycopy(options, 0, arguments, 3, options.length);
        return shell.run(new StringWriter(), err, arguments);
    }

    @Test
    void aCodeThatSomebodyApprovesSignsIn() throws Exception {
        String key = control.newKey();
        String email =
                control.send("GET", "/v1/me", key, null).at("/user/email").asText();
        Shell shell = new Shell(folder);

        Shell.Result result = signIn(shell, key);

        assertThat(result.code()).isZero();
        assertThat(result.out()).isEmpty();
        assertThat(result.err())
                .contains("  " + control.url() + "/device?code=")
                .endsWith("Signed in at " + control.url() + " as " + email + ".\n")
                .doesNotContain("sp_live_");
        assertThat(Files.getPosixFilePermissions(file())).isEqualTo(PosixFilePermissions.fromString("rw-------"));
        assertThat(Files.getPosixFilePermissions(file().getParent()))
                .isEqualTo(PosixFilePermissions.fromString("rwx------"));
        assertThat(shell.run("whoami").table())
                .containsExactly("SERVER USER ORGANIZATION KEY", control.url() + " " + email + " Ada L device");
    }

    @Test
    void withJsonStandardOutputHoldsWhoOneIsAndNoKey() {
        String key = control.newKey();

        Shell.Result result = signIn(new Shell(folder), key, "--json");

        assertThat(result.code()).isZero();
        assertThat(result.json().path("user"))
                .isEqualTo(control.send("GET", "/v1/me", key, null).path("user"));
        assertThat(result.out() + result.err()).doesNotContain("sp_live_");
    }

    @Test
    void aCodeThatNobodyApprovesEndsWith4() throws Exception {
        Shell shell = new Shell(folder);

        Shell.Result result = shell.run("login", "--server", control.url());

        assertThat(result.code()).isEqualTo(4);
        assertThat(result.err()).contains("sallyport: the code was refused, or has expired");
        assertThat(shell.pauses()).allMatch(Duration.ofSeconds(2)::equals).hasSizeGreaterThan(290);
        assertThat(file()).doesNotExist();
    }

    @Test
    void aRefusedCodeEndsWith4AtOnce() throws Exception {
        try (StubServer server =
                new StubServer().answer(200, DEVICE).answer(200, "{\"data\": {\"status\": \"expired\"}}")) {
            assertThat(new Shell(folder).run("login", "--server", server.url()).code())
                    .isEqualTo(4);
            assertThat(server.requests()).hasSize(2);
        }
    }

    @Test
    void itPollsMoreSlowlyWhenTheServerAsksForIt() throws Exception {
        Shell shell = new Shell(folder);
        String slow = "{\"error\": {\"code\": \"rate_limited\", \"message\": \"too many requests\"}}";
        try (StubServer server = new StubServer()
                .answer(200, DEVICE)
                .answer(429, slow, "Retry-After", "1")
                .answer(400, "{\"error\": {\"code\": \"slow_down\", \"message\": \"slower\"}}")
                .answer(429, slow, "Retry-After", "60")
                .answer(200, authorized())
                .answer(200, ME)) {
            Shell.Result result = shell.run("login", "--server", server.url());

            assertThat(result.err()).endsWith("as ada@example.com.\n");
            assertThat(result.code()).isZero();
            assertThat(shell.pauses()).extracting(Duration::toSeconds).containsExactly(2L, 7L, 12L, 60L);
        }
    }

    @Test
    void itOutlivesAServerThatRestarts() throws Exception {
        Shell shell = new Shell(folder);
        try (StubServer server = new StubServer().answer(200, DEVICE).answer(502, "<html>")) {
            server.answer(200, authorized()).answer(200, ME);

            assertThat(shell.run("login", "--server", server.url()).code()).isZero();
            assertThat(shell.pauses()).extracting(Duration::toSeconds).containsExactly(2L, 7L);
        }
    }

    @Test
    void aKeyFromStandardInputSignsIn() throws Exception {
        String key = control.newKey();
        Shell shell = new Shell(folder).input(key + "\n");

        Shell.Result result = shell.run("login", "--with-key", "--server", control.url());

        assertThat(result.code()).isZero();
        assertThat(result.out() + result.err()).doesNotContain(key);
        assertThat(shell.run("whoami", "-o", "name").out().strip())
                .isEqualTo(control.send("GET", "/v1/me", key, null)
                        .at("/user/email")
                        .asText());
    }

    @Test
    void aKeyThatIsNotValidIsNotKept() throws Exception {
        Shell.Result unknown = new Shell(folder).input(TOKEN).run("login", "--with-key", "--server", control.url());

        assertThat(unknown.code()).isEqualTo(4);
        assertThat(unknown.err()).contains("not signed in at " + control.url()).doesNotContain(TOKEN);
        assertThat(new Shell(folder)
                        .input("two words\n")
                        .run("login", "--with-key", "--server", control.url())
                        .code())
                .isEqualTo(4);
        assertThat(new Shell(folder)
                        .input("")
                        .run("login", "--with-key", "--server", control.url())
                        .code())
                .isEqualTo(4);
        assertThat(file()).doesNotExist();
    }

    @Test
    void eachServerHasAContextAndTheLastOneIsCurrent() throws Exception {
        String first = control.newKey();
        String second = control.newKey();
        try (TestControl other = TestControl.with(Files.createDirectory(folder.resolve("other")), "")) {
            String third = other.newKey();
            Shell shell = new Shell(folder);
            shell.input(first).run("login", "--with-key", "--server", control.url());
            shell.input(third).run("login", "--with-key", "--server", other.url() + "/");

            assertThat(shell.run("whoami", "--json").json()).isEqualTo(other.send("GET", "/v1/me", third, null));
            assertThat(shell.run("whoami", "--json", "--server", control.url()).json())
                    .isEqualTo(control.send("GET", "/v1/me", first, null));
            shell.with("SALLYPORT_SERVER", control.url());
            assertThat(shell.run("whoami", "--json").json()).isEqualTo(control.send("GET", "/v1/me", first, null));
            shell.with("SALLYPORT_API_KEY", second);
            assertThat(shell.run("whoami", "--json").json()).isEqualTo(control.send("GET", "/v1/me", second, null));
        }
    }

    @Test
    void whoamiShowsIdentifiersWhenWideAndTheDocumentAsYaml() {
        String key = control.newKey();
        JsonNode me = control.send("GET", "/v1/me", key, null);
        Shell shell = new Shell(folder).with("SALLYPORT_SERVER", control.url()).with("SALLYPORT_API_KEY", key);

        assertThat(shell.run("whoami", "-o", "wide").out())
                .contains(
                        me.at("/user/id").asText(),
                        me.at("/organization/id").asText(),
                        me.at("/api_key/id").asText());
        assertThat(shell.run("whoami", "-o", "yaml").out())
                .startsWith("user:\n  id: \"" + me.at("/user/id").asText() + "\"\n");
    }

    @Test
    void whoamiWithoutASignInEndsWith4() {
        Shell.Result result = new Shell(folder).run("whoami", "--json");

        assertThat(result.code()).isEqualTo(4);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).isEqualTo("sallyport: not signed in (expected: sallyport ctl login --server URL)\n");
        assertThat(new Shell(folder).run("whoami", "--server", control.url()).code())
                .isEqualTo(4);
    }

    @Test
    void logoutRevokesTheKeyThatLoginMade() {
        String key = control.newKey();
        Shell shell = new Shell(folder);
        signIn(shell, key);
        String kept = Contents.key(file(), control.url());

        Shell.Result result = shell.run("logout");

        assertThat(result.code()).isZero();
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).isEqualTo("Signed out of " + control.url() + ".\n");
        assertThat(control.send("GET", "/v1/me", kept, null).at("/error/code").asText())
                .isEqualTo("unauthorized");
        assertThat(shell.run("whoami").code()).isEqualTo(4);
        assertThat(shell.run("logout", "--json").code()).isEqualTo(4);
    }

    @Test
    void anotherLoginRevokesTheKeyOfTheOneBefore() {
        String key = control.newKey();
        Shell shell = new Shell(folder);
        signIn(shell, key);
        String first = Contents.key(file(), control.url());

        assertThat(signIn(shell, key).code()).isZero();

        String second = Contents.key(file(), control.url());
        assertThat(control.send("GET", "/v1/me", first, null).at("/error/code").asText())
                .isEqualTo("unauthorized");
        assertThat(control.send("GET", "/v1/me", second, null)
                        .at("/api_key/name")
                        .asText())
                .isEqualTo("device");
        assertThat(shell.input(key)
                        .run("login", "--with-key", "--server", control.url())
                        .code())
                .isZero();
        assertThat(control.send("GET", "/v1/me", second, null).at("/error/code").asText())
                .isEqualTo("unauthorized");
        assertThat(shell.input(control.newKey())
                        .run("login", "--with-key", "--server", control.url())
                        .code())
                .isZero();
        assertThat(control.send("GET", "/v1/me", key, null).at("/api_key/name").asText())
                .isEqualTo("default");
    }

    @Test
    void aKeyOfBeforeThatCannotBeRevokedIsToldAndTheLoginIsDone() throws Exception {
        Shell shell = new Shell(folder);
        String other = TOKEN.replace('0', '9');
        try (StubServer server = new StubServer()
                .answer(200, DEVICE)
                .answer(200, authorized())
                .answer(200, ME)
                .answer(200, DEVICE)
                .answer(200, authorized().replace(TOKEN, other))
                .answer(200, ME)
                .answer(200, ME)
                .answer(403, "{\"error\": {\"code\": \"forbidden\", \"message\": \"no\"}}")) {
            assertThat(shell.run("login", "--server", server.url()).code()).isZero();

            Shell.Result result = shell.run("login", "--server", server.url());

            assertThat(result.code()).isZero();
            assertThat(result.err())
                    .contains("sallyport: warning: the key of the sign-in before stays valid: ")
                    .endsWith("as ada@example.com.\n");
            assertThat(Contents.key(file(), server.url())).isEqualTo(other);
            assertThat(server.requests().getLast().line()).isEqualTo("DELETE /v1/api-keys/key_1");
            assertThat(server.requests().getLast().authorization()).isEqualTo("Bearer " + TOKEN);
        }
    }

    @Test
    void aKeyThatCannotBeKeptIsRevokedUnlessItWasGiven() throws Exception {
        String key = control.newKey();
        Files.createSymbolicLink(folder.resolve("sallyport"), folder.resolve("nowhere"));

        Shell.Result result = signIn(new Shell(folder), key);
        Shell.Result given = new Shell(folder).input(key).run("login", "--with-key", "--server", control.url());

        assertThat(result.code()).isEqualTo(2);
        assertThat(result.err()).contains("ctl.json: cannot be written").doesNotContain("Signed in", "warning");
        assertThat(given.code()).isEqualTo(2);
        assertThat(control.send("GET", "/v1/api-keys", key, null).path("data").findValuesAsText("name"))
                .containsExactly("default");
    }

    @Test
    void logoutLeavesAKeyThatWasGiven() {
        String key = control.newKey();
        Shell shell = new Shell(folder).input(key);
        shell.run("login", "--with-key", "--server", control.url());

        Shell.Result result = shell.run("logout", "--json");

        assertThat(result).isEqualTo(new Shell.Result(0, "", ""));
        assertThat(control.send("GET", "/v1/me", key, null).at("/user/id").asText())
                .startsWith("usr_");
    }

    @Test
    void logoutForgetsAKeyThatWasRevokedAlreadyOrThatIsToBeKept() {
        String key = control.newKey();
        Shell shell = new Shell(folder);
        signIn(shell, key);
        String kept = Contents.key(file(), control.url());

        assertThat(shell.run("logout", "--keep-key").code()).isZero();
        assertThat(control.send("GET", "/v1/me", kept, null).at("/api_key/name").asText())
                .isEqualTo("device");

        signIn(shell, key);
        shell.run("key", "revoke", "device"); // two are called so
        shell.with("SALLYPORT_API_KEY", key);
        shell.run("key", "list", "--name", "device", "-o", "name")
                .out()
                .lines()
                .forEach(id -> shell.run("key", "revoke", id));
        assertThat(shell.run("logout").code()).isZero();
    }

    @Test
    void logoutKeepsTheKeyWhenTheServerIsNotReached() throws Exception {
        Shell shell = new Shell(folder);
        String url;
        try (StubServer server =
                new StubServer().answer(200, DEVICE).answer(200, authorized()).answer(200, ME)) {
            url = server.url();
            assertThat(shell.run("login", "--server", url).code()).isZero();
        }

        assertThat(shell.run("logout").code()).isEqualTo(3);
        assertThat(Contents.key(file(), url)).isEqualTo(TOKEN);
        assertThat(shell.run("logout", "--keep-key").code()).isZero();
    }
}
