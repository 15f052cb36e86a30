package dev.sallyport.sources.vault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sallyport.spi.SecretException;
import dev.sallyport.spi.SecretSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The source {@code vault}, against a script that takes the arguments and variables that the vendor's command takes. */
@Timeout(60)
class VaultSourceFactoryTest {

    private static final String TOKEN = "ops_eyJzaWduSW5BZGRyZXNzIjoibXkuMXBhc3N3b3JkLmNvbSJ9";
    private static final String REFERENCE = "op://My%20Vault/GitHub/token";
    private static final String VALUE = "r34l-v4lue";

    /** Answers as the command does: the value, with a newline unless told not to. */
    private static final String AS_THE_COMMAND_DOES = """
            env | sed 's/=.*//' | sort > "$HOME/variables"
            printf '%s\\n' "$@" > "$HOME/arguments"
            [ "$OP_SERVICE_ACCOUNT_TOKEN" = "$(cat "$HOME/token")" ] || { echo '[ERROR] unauthorized' >&2; exit 6; }
            [ "$1" = read ] || exit 1
            shift
            newline=yes
            [ "$1" != --no-newline ] || { newline=no; shift; }
            [ $# -eq 1 ] || exit 1
            cat "$HOME/value"
            [ $newline = no ] || echo
            """;

    @TempDir
    Path folder;

    private final VaultSourceFactory factory = new VaultSourceFactory();
    private final Map<String, String> variables = new HashMap<>();

    @BeforeEach
    void set() throws IOException {
        variables.put("VAULT_SERVICE_ACCOUNT_TOKEN", TOKEN);
        variables.put("PATH", folder + ":" + System.getenv("PATH"));
        variables.put("HOME", folder.toString());
        variables.put("GITHUB_TOKEN", "of-another-tenant");
        variables.put("OP_CONNECT_HOST", "http://elsewhere.test");
        Files.writeString(folder.resolve("token"), TOKEN);
        Files.writeString(folder.resolve("value"), VALUE);
    }

    private void script(String body) throws IOException {
        Path script = Files.writeString(folder.resolve("op"), "#!/bin/sh\n" + body);
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static VaultSource config(String command) {
        return new VaultSource(REFERENCE, "VAULT_SERVICE_ACCOUNT_TOKEN", command, Duration.ZERO);
    }

    private SecretSource source() {
        return factory.create(config("op"), Lent.of(variables));
    }

    private SecretSource source(Duration limit) {
        return new CommandSource(
                Fields.reference(REFERENCE),
                "VAULT_SERVICE_ACCOUNT_TOKEN",
                "op",
                Lent.of(variables),
                new ProgramRun.Limits(limit, ProgramRun.Limits.USUAL.outputBytes()));
    }

    /** The message of the failure, in which nothing secret is, without the name that it begins with. */
    private static String failure(SecretSource source) {
        SecretException failure = catchThrowableOfType(SecretException.class, source::read);
        assertThat(failure).isNotNull();
        assertThat(failure.getCause()).isNull();
        assertThat(failure.getMessage())
                .startsWith("vault " + REFERENCE + ": ")
                .doesNotContain(TOKEN.substring(4, 12))
                .doesNotContain(VALUE);
        return failure.getMessage().substring(("vault " + REFERENCE + ": ").length());
    }

    @Test
    void readsTheFieldByTheCommand() throws Exception {
        script(AS_THE_COMMAND_DOES);

        SecretSource source = source();

        assertThat(source.read().text()).isEqualTo(VALUE);
        assertThat(source.name()).isEqualTo(REFERENCE);
        assertThat(source.toString()).doesNotContain(TOKEN);
        assertThat(Files.readAllLines(folder.resolve("arguments")))
                .containsExactly("read", "--no-newline", "op://My Vault/GitHub/token");
    }

    @Test
    void theCommandGetsTheTokenAndWhatItNeedsAndNothingElse() throws Exception {
        script(AS_THE_COMMAND_DOES);
        variables.put("HTTPS_PROXY", "http://proxy.test:3128");

        source().read();

        List<String> seen = new ArrayList<>(Files.readAllLines(folder.resolve("variables")));
        seen.removeAll(List.of("PWD", "SHLVL", "_", "OLDPWD")); // the shell's own
        assertThat(seen).containsExactly("HOME", "HTTPS_PROXY", "OP_CACHE", "OP_SERVICE_ACCOUNT_TOKEN", "PATH");
    }

    @Test
    void theBytesAreExact() throws Exception {
        byte[] bytes = {' ', 0, (byte) 0xff, '\n', '\n'};
        Files.write(folder.resolve("value"), bytes);
        script(AS_THE_COMMAND_DOES);

        assertThat(source().read().bytes()).isEqualTo(bytes);
    }

    @Test
    void eachReadRunsItAgain() throws Exception {
        script(AS_THE_COMMAND_DOES);
        SecretSource source = source();
        assertThat(source.read().text()).isEqualTo(VALUE);

        Files.writeString(folder.resolve("value"), "another");

        assertThat(source.read().text()).isEqualTo("another");
    }

    @Test
    void aPathStandsForTheCommandToo() throws Exception {
        script(AS_THE_COMMAND_DOES);
        variables.put("PATH", System.getenv("PATH"));

        SecretSource source = factory.create(config(folder.resolve("op").toString()), Lent.of(variables));

        assertThat(source.read().text()).isEqualTo(VALUE);
    }

    @Test
    void aTokenThatIsNotSetIsNamed() {
        variables.remove("VAULT_SERVICE_ACCOUNT_TOKEN");
        assertThat(failure(source())).isEqualTo("environment variable VAULT_SERVICE_ACCOUNT_TOKEN is not set");

        variables.put("VAULT_SERVICE_ACCOUNT_TOKEN", "");
        assertThat(failure(source())).isEqualTo("environment variable VAULT_SERVICE_ACCOUNT_TOKEN is empty");
    }

    @Test
    void aTokenWithALineBreakIsNotPassedOn() {
        variables.put("VAULT_SERVICE_ACCOUNT_TOKEN", TOKEN + "\n");

        assertThat(failure(source()))
                .isEqualTo("environment variable VAULT_SERVICE_ACCOUNT_TOKEN is not a token: it contains white space"
                        + " or an invalid character");
    }

    @Test
    void aCommandThatIsNotThereIsNamed() {
        assertThat(failure(factory.create(config("sallyport-no-such-op"), Lent.of(variables))))
                .isEqualTo(
                        "program sallyport-no-such-op is not on the PATH of the proxy (expected: the vendor's command"
                                + " line tool there, or its path as command)");
        assertThat(failure(factory.create(config("/nonexistent/op"), Lent.of(variables))))
                .isEqualTo("program /nonexistent/op does not exist");
    }

    @Test
    void aCommandThatMayNotBeExecutedIsNamed() throws Exception {
        Files.writeString(folder.resolve("op"), "");
        variables.put("PATH", folder + ":relative:");

        assertThat(failure(source()))
                .isEqualTo(folder.resolve("op") + " is not a program that the proxy's user may execute");
        assertThat(failure(factory.create(config(folder.toString()), Lent.of(variables))))
                .isEqualTo(folder + " is not a program that the proxy's user may execute");
    }

    @Test
    void aCommandThatTheSystemCannotStartIsToldAbout() throws Exception {
        script("");
        Files.writeString(folder.resolve("op"), "#!/nonexistent/interpreter\n");

        assertThat(failure(source())).startsWith(folder.resolve("op") + " cannot be started: ");
    }

    @Test
    void theReasonOfAFailureIsShown() throws Exception {
        script(
                "echo >&2; printf '\\033[31m[ERROR]\\033[0m \"GitHub\" isn'\"'\"'t an item\\r\\n' >&2; echo more >&2; exit 1");

        assertThat(failure(source())).isEqualTo("op ended with 1: [ERROR] \"GitHub\" isn't an item");
    }

    @Test
    void aLongReasonIsCut() throws Exception {
        script("printf 'x%.0s' $(seq 1000) >&2; exit 1");

        assertThat(failure(source())).isEqualTo("op ended with 1: " + "x".repeat(200) + "...");
    }

    @Test
    void aReasonThatIsMissingIsToldSo() throws Exception {
        script("exit 7");

        assertThat(failure(source())).isEqualTo("op ended with 7: it gave no reason");
    }

    @Test
    void aReasonWithPartOfTheTokenOrTheValueIsWithheld() throws Exception {
        script("echo \"bad token: $(printf %s \"$OP_SERVICE_ACCOUNT_TOKEN\" | cut -c3-14)\" >&2; exit 6");
        assertThat(failure(source())).isEqualTo("op ended with 6: its reason is withheld because it contains a secret");

        script("cat \"$HOME/value\"; echo \"bad value: $(cat \"$HOME/value\")\" >&2; exit 6");
        assertThat(failure(source())).isEqualTo("op ended with 6: its reason is withheld because it contains a secret");
    }

    @Test
    void anEmptyFieldIsAnError() throws Exception {
        script("exit 0");

        assertThat(failure(source())).isEqualTo("it is empty");
    }

    @Test
    void aChattyCommandIsReadToTheEnd() throws Exception {
        script("i=0; while [ $i -lt 20000 ]; do echo 'a warning that nobody reads' >&2; i=$((i+1)); done\n"
                + AS_THE_COMMAND_DOES);

        assertThat(source().read().text()).isEqualTo(VALUE);
    }

    @Test
    void theLongestValueHas64Kibibytes() throws Exception {
        script(AS_THE_COMMAND_DOES);
        byte[] longest = new byte[64 * 1024];
        Arrays.fill(longest, (byte) 'v');
        Files.write(folder.resolve("value"), longest);
        assertThat(source().read().length()).isEqualTo(65_536);

        Files.write(folder.resolve("value"), new byte[64 * 1024 + 1]);
        assertThat(failure(source())).isEqualTo(folder.resolve("op") + " wrote more than 65536 bytes");
    }

    @Test
    void aCommandThatNeverStopsWritingIsKilled() throws Exception {
        script("echo $$ > \"$HOME/process\"; exec yes r34l-v4lue");

        assertThat(failure(source())).isEqualTo(folder.resolve("op") + " wrote more than 65536 bytes");
        awaitDeath("process");
    }

    @Test
    @Tag("long")
    void aCommandThatHangsIsKilledWithItsChildren() throws Exception {
        script("sleep 1000 & echo $! > \"$HOME/child\"; echo $$ > \"$HOME/process\"; wait");

        assertThat(failure(source(Duration.ofSeconds(2)))).isEqualTo(folder.resolve("op") + " did not end within 2 s");

        awaitDeath("process");
        awaitDeath("child");
    }

    @Test
    void anInterruptKillsTheCommand() throws Exception {
        script("echo $$ > \"$HOME/new\"; mv \"$HOME/new\" \"$HOME/process\"; exec sleep 1000");
        CompletableFuture<Throwable> ended = new CompletableFuture<>();
        Thread reader = Thread.ofVirtual().start(() -> {
            try {
                source().read();
                ended.complete(null);
            } catch (Exception e) {
                ended.complete(e);
            }
        });
        Awaitility.await().until(() -> Files.exists(folder.resolve("process")));

        reader.interrupt();

        assertThat(ended.get()).isInstanceOf(InterruptedException.class);
        awaitDeath("process");
    }

    private void awaitDeath(String file) throws Exception {
        long id = Long.parseLong(Files.readString(folder.resolve(file), StandardCharsets.US_ASCII)
                .strip());
        Optional<ProcessHandle> process = ProcessHandle.of(id);
        if (process.isPresent()) {
            process.get().onExit().get();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            op://a/b                         | TOKEN | op | /secret_ref
            op://a/b%2Fc/d                   | TOKEN | op | /secret_ref
            op://a/b%3Fc/d                   | TOKEN | op | /secret_ref
            op://a/b/c?attribute=otp         | TOKEN | op | ''
            op://a/b/c                       | A=B   | op | /token_env
            op://a/b/c                       | ''    | op | /token_env
            op://a/b/c                       | TOKEN | '' | /command
            """)
    void whatIsWrongWithTheFieldsIsFoundBeforehand(String reference, String tokenEnv, String command, String problem) {
        List<String> pointers = new ArrayList<>();

        factory.validate(
                new VaultSource(reference, tokenEnv, command, Duration.ZERO),
                (pointer, message, expected) -> pointers.add(pointer));

        assertThat(String.join(" ", pointers)).isEqualTo(problem);
    }
}
