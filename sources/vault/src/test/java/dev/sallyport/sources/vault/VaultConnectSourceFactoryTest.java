package dev.sallyport.sources.vault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sallyport.spi.HttpCaller;
import dev.sallyport.spi.SecretException;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.testkit.JdkCaller;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The source {@code vault_connect}, against a server made after the vendor's description. */
@Timeout(60)
class VaultConnectSourceFactoryTest {

    private static final String VAULT = "ftz4pm2xxwmwrsd7rjqn7grzfz";
    private static final String ITEM = "2fcbqwe9ndg175zg2dzwftvkpa";
    private static final String VALUE = "r34l-v4lue";

    private static final String LOGIN = """
            {"id": "2fcbqwe9ndg175zg2dzwftvkpa", "title": "GitHub", "category": "LOGIN",
             "sections": [{"id": "95cdbc3b", "label": "Recovery"}, {"id": "add more", "label": ""}],
             "fields": [
               {"id": "username", "type": "STRING", "purpose": "USERNAME", "label": "username", "value": "wendy"},
               {"id": "password", "type": "CONCEALED", "purpose": "PASSWORD", "label": "password", "value": "r34l-v4lue"},
               {"id": "a6cvmeqakbxoflkgmor4haji7y", "type": "CONCEALED", "label": "Token", "value": "outside"},
               {"id": "boot3vsxwhuht6g7cmcx4m6rcm", "section": {"id": "95cdbc3b"}, "label": "Token", "value": "inside"},
               {"id": "s4lnvgfbpgeugcxaqswsbcwx6m", "section": {"id": "95cdbc3b"}, "label": "Key", "value": "only-inside"},
               {"id": "one", "label": "twin", "value": "1"}, {"id": "two", "label": "twin", "value": "2"},
               {"id": "three", "label": "Case", "value": "upper"}, {"id": "four", "label": "case", "value": "lower"},
               {"id": "empty", "label": "empty", "value": ""}, {"id": "none", "label": "none"}]}
            """;

    private final VaultConnectSourceFactory factory = new VaultConnectSourceFactory();
    private final JdkCaller http = new JdkCaller();
    private final Map<String, String> variables = new HashMap<>();
    private ConnectServer server;

    @BeforeEach
    void open() throws Exception {
        server = new ConnectServer().vault(VAULT, "Production", LOGIN);
        variables.put("VAULT_CONNECT_HOST", server.url());
        variables.put("VAULT_CONNECT_TOKEN", ConnectServer.TOKEN);
    }

    @AfterEach
    void close() {
        server.close();
        http.close();
        assertThat(server.faults()).isEmpty();
    }

    private SecretSource source(String reference) {
        return source(reference, http);
    }

    private SecretSource source(String reference, HttpCaller caller) {
        return factory.create(
                new VaultConnectSource(reference, "VAULT_CONNECT_HOST", "VAULT_CONNECT_TOKEN", Duration.ZERO),
                new Lent("vault_connect", variables, caller));
    }

    private String read(String reference) throws Exception {
        return source(reference).read().text();
    }

    /** The message of the failure, in which nothing secret is, without the name that it begins with. */
    private static String failure(SecretSource source) {
        SecretException failure = catchThrowableOfType(SecretException.class, source::read);
        assertThat(failure).isNotNull();
        assertThat(failure.getCause()).isNull();
        assertThat(failure.getMessage())
                .startsWith("vault_connect " + source.name() + ": ")
                .doesNotContain(ConnectServer.TOKEN)
                .doesNotContain(VALUE);
        return failure.getMessage().substring(("vault_connect " + source.name() + ": ").length());
    }

    private String failure(String reference) {
        return failure(source(reference));
    }

    @Test
    void findsVaultItemAndFieldByName() throws Exception {
        SecretSource source = source("op://Production/GitHub/password");

        assertThat(source.read().text()).isEqualTo(VALUE);
        assertThat(source.name()).isEqualTo("op://Production/GitHub/password");
        assertThat(source.toString()).doesNotContain(ConnectServer.TOKEN);
        assertThat(server.requests())
                .containsExactly(
                        "/v1/vaults?filter=name eq \"Production\"",
                        "/v1/vaults/" + VAULT + "/items?filter=title eq \"GitHub\"",
                        "/v1/vaults/" + VAULT + "/items/" + ITEM);
    }

    @Test
    void findsThemById() throws Exception {
        assertThat(read("op://" + VAULT + "/" + ITEM + "/a6cvmeqakbxoflkgmor4haji7y"))
                .isEqualTo("outside");
        assertThat(server.requests()).containsExactly("/v1/vaults/" + VAULT, "/v1/vaults/" + VAULT + "/items/" + ITEM);
    }

    @Test
    void aNameInTheFormOfAnIdIsLookedForByNameInTheEnd() throws Exception {
        String name = "abcdefghijklmnopqrstuvwxyz";
        server.vault("gs2jpwmahszwq25a7jiw45e4je", name, LOGIN.replace("GitHub", name));

        assertThat(read("op://" + name + "/" + name + "/password")).isEqualTo(VALUE);
        assertThat(server.requests()).startsWith("/v1/vaults/" + name, "/v1/vaults?filter=name eq \"" + name + "\"");
    }

    @Test
    void theCaseOfNamesDoesNotMatterUnlessItTellsThemApart() throws Exception {
        assertThat(read("op://production/github/PASSWORD")).isEqualTo(VALUE);
        assertThat(read("op://Production/GitHub/Case")).isEqualTo("upper");
        assertThat(read("op://Production/GitHub/case")).isEqualTo("lower");
        assertThat(failure("op://Production/GitHub/CASE"))
                .isEqualTo("there are 2 fields \"CASE\" (expected: one, or the id of one)");
    }

    @Test
    void quotesInNamesAreNoWayOutOfTheFilter() throws Exception {
        String name = "a\" or name eq \"b\\c\u00e9/\td";
        server.vault("gs2jpwmahszwq25a7jiw45e4je", name.replace("\t", " "), LOGIN);

        assertThat(read("op://a%22%20or%20name%20eq%20%22b%5Cc%C3%A9%2F%20d/GitHub/password"))
                .isEqualTo(VALUE);
    }

    @Test
    void withoutASectionTheFieldOutsideOfAnyGoesFirst() throws Exception {
        assertThat(read("op://Production/GitHub/Token")).isEqualTo("outside");
        assertThat(read("op://Production/GitHub/Key")).isEqualTo("only-inside");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Recovery", "recovery", "95cdbc3b"})
    void aSectionIsNamedByLabelOrId(String section) throws Exception {
        assertThat(read("op://Production/GitHub/" + section + "/Token")).isEqualTo("inside");
    }

    @Test
    void whatIsMissingIsNamed() {
        assertThat(failure("op://Staging/GitHub/password"))
                .isEqualTo("there is no vault \"Staging\", or the token may not see it");
        assertThat(failure("op://Production/GitLab/password"))
                .isEqualTo("there is no item \"GitLab\", or the token may not see it");
        assertThat(failure("op://gs2jpwmahszwq25a7jiw45e4je/GitHub/password"))
                .isEqualTo("there is no vault \"gs2jpwmahszwq25a7jiw45e4je\", or the token may not see it");
        assertThat(failure("op://Production/GitHub/pin")).isEqualTo("the item has no field \"pin\"");
        assertThat(failure("op://Production/GitHub/Recovery/pin"))
                .isEqualTo("the item has no field \"pin\" in a section \"Recovery\"");
        assertThat(failure("op://Production/GitHub/none")).isEqualTo("the field \"none\" has no value");
        assertThat(failure("op://Production/GitHub/empty")).isEqualTo("it is empty");
    }

    @Test
    void severalOfOneNameAreNotChosenFrom() throws Exception {
        assertThat(failure("op://Production/GitHub/twin"))
                .isEqualTo("there are 2 fields \"twin\" (expected: one, or the id of one)");

        server.clear().vault(VAULT, "Production", LOGIN, LOGIN.replace(ITEM, "gs2jpwmahszwq25a7jiw45e4je"));
        assertThat(failure("op://Production/GitHub/password"))
                .isEqualTo("there are 2 items \"GitHub\" (expected: one, or the id of one)");
        assertThat(read("op://Production/" + ITEM + "/password")).isEqualTo(VALUE);

        server.vault("gs2jpwmahszwq25a7jiw45e4je", "Production");
        assertThat(failure("op://Production/GitHub/password"))
                .isEqualTo("there are 2 vaults \"Production\" (expected: one, or the id of one)");
    }

    @Test
    void itemsInTheArchiveDoNotCount() throws Exception {
        String archived =
                LOGIN.replace(ITEM, "gs2jpwmahszwq25a7jiw45e4je").replaceFirst("\\{", "{\"state\": \"ARCHIVED\",");
        server.clear().vault(VAULT, "Production", archived, LOGIN);

        assertThat(read("op://Production/GitHub/password")).isEqualTo(VALUE);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            403 | the token of VAULT_CONNECT_TOKEN gives no access to the vault (status 403)
            404 | the server does not find the vault (status 404)
            302 | the server refused (status 302)
            429 | the server refused (status 429)
            500 | the server failed (status 500)
            503 | the server failed (status 503)
            """)
    void refusalsAreTold(int status, String message) {
        server.always(status, "{\"message\": \"" + VALUE + "\"}");

        assertThat(failure("op://Production/GitHub/password")).isEqualTo(message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            <html>r34l-v4lue</html> | the answer is not JSON (expected: a Connect server)
            ["r34l-v4lue            | the answer is not JSON (expected: a Connect server)
            {"id": "r34l-v4lue"}    | the answer is JSON, but no vaults (expected: a Connect server)
            [{"name": "Production"}] | the server's answer has no id of the vault
            ''                      | the answer is JSON, but no vaults (expected: a Connect server)
            """)
    void answersThatAreSomethingElseAreNotQuoted(String body, String message) {
        server.always(200, body);

        assertThat(failure("op://Production/GitHub/password")).isEqualTo(message);
    }

    @Test
    void aTokenThatTheServerDoesNotKnowIsTold() {
        variables.put("VAULT_CONNECT_TOKEN", "another");

        assertThat(failure("op://Production/GitHub/password"))
                .isEqualTo("the server does not accept the token of VAULT_CONNECT_TOKEN (status 401)");
    }

    @Test
    void whyThereIsNoAnswerIsTold() {
        String authority = server.url().substring("http://".length());
        HttpCaller late = call -> {
            assertThat(call.timeout()).isEqualTo(Duration.ofSeconds(10));
            return CompletableFuture.failedFuture(new TimeoutException("late"));
        };
        HttpCaller refused = call -> CompletableFuture.failedFuture(new IOException("connection refused"));

        assertThat(failure(source("op://Production/GitHub/password", late)))
                .isEqualTo(authority + " gave no complete answer within 10 s");
        assertThat(failure(source("op://Production/GitHub/password", refused)))
                .isEqualTo("no answer from " + authority + ": connection refused");
    }

    @Test
    void anInterruptEndsTheReadAndGivesTheCallUp() throws Exception {
        server.silent();
        CompletableFuture<Throwable> ended = new CompletableFuture<>();
        Thread reader = Thread.ofVirtual().start(() -> {
            try {
                read("op://Production/GitHub/password");
                ended.complete(null);
            } catch (Exception e) {
                ended.complete(e);
            }
        });
        Awaitility.await().until(() -> !server.requests().isEmpty());

        reader.interrupt();

        assertThat(ended.get()).isInstanceOf(InterruptedException.class);
    }

    @Test
    void variablesThatAreNotSetAreNamed() {
        variables.remove("VAULT_CONNECT_TOKEN");
        assertThat(failure("op://a/b/c")).isEqualTo("environment variable VAULT_CONNECT_TOKEN is not set");

        variables.put("VAULT_CONNECT_TOKEN", ConnectServer.TOKEN + "\n");
        assertThat(failure("op://a/b/c"))
                .isEqualTo("environment variable VAULT_CONNECT_TOKEN is not a token: it contains white space or an"
                        + " invalid character");

        variables.remove("VAULT_CONNECT_HOST");
        assertThat(failure("op://a/b/c")).isEqualTo("environment variable VAULT_CONNECT_HOST is not set");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "connect:8080",
                "ftp://connect",
                "http://",
                "http://a b",
                "http://u:p@connect",
                "http://connect/?a=b"
            })
    void aHostThatIsNoUrlIsTold(String host) {
        variables.put("VAULT_CONNECT_HOST", host);

        assertThat(failure("op://a/b/c"))
                .isEqualTo("environment variable VAULT_CONNECT_HOST is not the URL of a server (expected: one such as"
                        + " http://connect:8080)");
    }

    @Test
    void slashesAtTheEndOfTheHostDoNotMatter() throws Exception {
        variables.put("VAULT_CONNECT_HOST", server.url() + "//");

        assertThat(read("op://Production/GitHub/password")).isEqualTo(VALUE);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            op://a/b                 | HOST | TOKEN | /secret_ref
            op://a/b/c?attribute=otp | HOST | TOKEN | /secret_ref
            op://a/b%2Fc/d           | HOST | TOKEN | ''
            op://a/b/c               | A=B  | TOKEN | /host_env
            op://a/b/c               | HOST | ''    | /token_env
            """)
    void whatIsWrongWithTheFieldsIsFoundBeforehand(String reference, String hostEnv, String tokenEnv, String problem) {
        List<String> pointers = new ArrayList<>();

        factory.validate(
                new VaultConnectSource(reference, hostEnv, tokenEnv, Duration.ZERO),
                (pointer, message, expected) -> pointers.add(pointer));

        assertThat(String.join(" ", pointers)).isEqualTo(problem);
    }
}
