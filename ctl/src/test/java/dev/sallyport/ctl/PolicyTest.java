package dev.sallyport.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code policy} and its commands. */
class PolicyTest {

    private static final String SECRET = """
            name: github
            priority: 10
            match_tags: [prod, eu]
            mode: inject
            source: {type: env, var: GITHUB_TOKEN}
            inject_config: {header: Authorization, formatter: "Bearer {{.Value}}"}
            rules:
              - host: api.github.com
              - host: uploads.github.com
              - cidr: 192.0.2.0/24
            """;

    private final TestControl control = TestControl.shared();
    private final String key = control.newKey();
    private Shell shell;

    @TempDir
    Path folder;

    @BeforeEach
    void signIn() {
        shell = new Shell(folder).with("SALLYPORT_SERVER", control.url()).with("SALLYPORT_API_KEY", key);
    }

    private String file(String text) {
        try {
            return Files.writeString(Files.createTempFile(folder, "policy", ".yaml"), text)
                    .toString();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String draft(Kind kind, String name) {
        return switch (kind) {
            case SECRETS -> SECRET.replace("github\n", name + "\n");
            case MCP -> """
                {"name": "%s", "priority": 7, "rules": [{"host": "mcp.example.com"}],
                 "tools": [{"name": "read", "matchers": [{"path": "size", "in": [1, 2.50]}]}, {"name": "list"}, {"name": "stat"}]}
                """.formatted(name);
            case NETWORK -> "name: " + name + "\npriority: 1\nrules: [{host: '*.example.com'}]\n";
        };
    }

    private JsonNode stored(Kind kind, String name) {
        return control.send("GET", kind.path() + "?name=" + name, key, null).path("data");
    }

    private Shell.Result create(Kind kind, String name, String... more) {
        String[] arguments = new String[more.length + 6];
        System.arraycopy(
                new String[] {"policy", "create", "--kind", kind.word(), "-f", file(draft(kind, name))},
                0,
                arguments,
                0,
                6);
        System.arraycopy(more, 0, arguments, 6, more.length);
        return shell.run(arguments);
    }

    @ParameterizedTest
    @EnumSource
    void createSaysWhatItMade(Kind kind) {
        Shell.Result result = create(kind, "one");

        assertThat(result).isEqualTo(new Shell.Result(0, kind.word() + "/one created\n", ""));
        assertThat(stored(kind, "one")).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void createWithJsonAnswersTheDocumentOfTheApi(Kind kind) {
        Shell.Result result = create(kind, "one", "--json");

        assertThat(result.code()).isZero();
        assertThat(result.json().path("data")).isEqualTo(stored(kind, "one").get(0));
    }

    @Test
    void createReadsStandardInputAndAnswersANameThatOthersTake() {
        shell.input("{\"name\": \"one\", \"priority\": 1, \"rules\": []}");

        Shell.Result result = shell.run("policy", "create", "--kind", "network", "-f", "-", "-o", "name");

        assertThat(result).isEqualTo(new Shell.Result(0, "network/one\n", ""));
        assertThat(shell.run("policy", "get", "network/one").code()).isZero();
    }

    @Test
    void createWithAKeyOfItsOwnCreatesOnceOnly() {
        String file = file(draft(Kind.MCP, "one"));
        String[] command = {"policy", "create", "--kind", "mcp", "-f", file, "--idempotency-key", "build-7", "--json"};

        Shell.Result first = shell.run(command);
        Shell.Result second = shell.run(command);

        assertThat(second).isEqualTo(first);
        assertThat(second.code()).isZero();
        assertThat(stored(Kind.MCP, "one")).hasSize(1);
        assertThat(shell.run("policy", "create", "--kind", "mcp", "-f", file).code())
                .isEqualTo(1);
    }

    @Test
    void everyFieldThatIsWrongHasALineOfItsOwn() {
        String file = file("name: Not A Name\nmode: inject\nsource: {type: env}\n");

        Shell.Result result = shell.run("policy", "create", "--kind", "secrets", "-f", file, "--json");

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.err().lines().findFirst().orElse(""))
                .matches("sallyport: refused with 422 validation_error: [0-9]+ fields are wrong");
        assertThat(result.err().lines().skip(1))
                .hasSizeGreaterThan(2)
                .anyMatch(line -> line.startsWith("  name: "))
                .anyMatch(line -> line.startsWith("  priority: "))
                .anyMatch(line -> line.startsWith("  source.var: "));
    }

    @Test
    void aNameThatIsTakenIsRefusedInOneLine() {
        create(Kind.SECRETS, "one");

        Shell.Result result = create(Kind.SECRETS, "one");

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.err()).startsWith("sallyport: refused with 409 secret_policy_name_taken: ");
        assertThat(result.err().lines()).hasSize(1);
    }

    @Test
    void listShowsATableForPeople() {
        create(Kind.SECRETS, "github");

        assertThat(shell.run("policy", "list", "--kind", "secrets").table().getFirst())
                .isEqualTo("NAME ACTIVE PRIORITY MODE SOURCE HOSTS TAGS AGE");
        assertThat(shell.run("policy", "list", "--kind", "secrets").table().getLast())
                .matches(
                        "github true 10 inject env:GITHUB_TOKEN api.github.com,uploads.github.com \\+1 prod,eu [0-9]+s");
        assertThat(shell.run("policy", "list", "--kind", "secrets", "-o", "wide")
                        .table())
                .satisfiesExactly(
                        heading -> assertThat(heading)
                                .isEqualTo("NAME ACTIVE PRIORITY MODE SOURCE INTO HOSTS TAGS AGE ID"),
                        row -> assertThat(row)
                                .contains(" header:Authorization ")
                                .contains(" spol_"));
        create(Kind.MCP, "files");
        assertThat(shell.run("policy", "list", "--kind", "mcp").table().getLast())
                .matches("files true 7 read,list \\+1 mcp.example.com <none> [0-9]+s");
    }

    @ParameterizedTest
    @EnumSource
    void listWithJsonIsTheDocumentOfTheApi(Kind kind) {
        create(kind, "one");
        create(kind, "two");

        Shell.Result result = shell.run("policy", "list", "--kind", kind.word(), "--json");

        assertThat(result.code()).isZero();
        assertThat(result.json()).isEqualTo(control.send("GET", kind.path(), key, null));
        assertThat(result.json().path("data")).hasSize(2);
    }

    @Test
    void listFiltersAndNames() {
        create(Kind.NETWORK, "one");
        create(Kind.NETWORK, "two");
        shell.run("policy", "deactivate", "network/two");

        assertThat(shell.run("policy", "list", "--kind", "network", "--active", "false", "-o", "name")
                        .out())
                .isEqualTo("network/two\n");
        assertThat(shell.run("policy", "list", "--kind", "network", "--name", "one", "-o", "name")
                        .out())
                .isEqualTo("network/one\n");
    }

    @Test
    void anEmptyListSaysSoAndIsADocumentAllTheSame() {
        assertThat(shell.run("policy", "list", "--kind", "mcp"))
                .isEqualTo(new Shell.Result(0, "", "no MCP policies\n"));
        assertThat(shell.run("policy", "list", "--kind", "mcp", "--json").json().path("data"))
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void getTakesNamesAndIdentifiers(Kind kind) {
        String id = create(kind, "one", "--json").json().at("/data/id").asText();

        Shell.Result table = shell.run("policy", "get", "one", "--kind", kind.word());
        Shell.Result json = shell.run("policy", "get", kind.word() + "/one", "--json");

        assertThat(table.code()).isZero();
        assertThat(table.table()).hasSize(2).last().asString().startsWith("one true ");
        assertThat(json.code()).isZero();
        assertThat(json.json()).isEqualTo(control.send("GET", kind.path() + "/" + id, key, null));
        assertThat(shell.run("policy", "get", id, "--json")).isEqualTo(json);
    }

    @Test
    void getOfWhatIsNotThereEndsWith1() {
        Shell.Result name = shell.run("policy", "get", "secrets/none", "--json");
        Shell.Result id = shell.run("policy", "get", "spol_00000000000000000000000000");

        assertThat(name.code()).isEqualTo(1);
        assertThat(name.out()).isEmpty();
        assertThat(name.err()).startsWith("sallyport: no secret policy is called none ");
        assertThat(id.code()).isEqualTo(1);
        assertThat(id.err()).startsWith("sallyport: refused with 404 secret_policy_not_found: ");
    }

    @ParameterizedTest
    @EnumSource
    void whatGetWritesReplaceReads(Kind kind) {
        JsonNode before = create(kind, "one", "--json").json().path("data");
        String yaml =
                shell.run("policy", "get", kind.word() + "/one", "-o", "yaml").out();

        Shell.Result result = shell.run(
                "policy", "replace", "-f", file(yaml.replace("priority: ", "priority: 4")), "--kind", kind.word());

        assertThat(result).isEqualTo(new Shell.Result(0, kind.word() + "/one replaced\n", ""));
        JsonNode after = stored(kind, "one").get(0);
        assertThat(after.path("priority").asText())
                .isEqualTo("4" + before.path("priority").asText());
        for (String field : new String[] {"id", "rules", "tools", "source", "match_tags", "created_at"}) {
            assertThat(after.path(field)).isEqualTo(before.path(field));
        }
    }

    @Test
    void replaceWithJsonAnswersTheDocumentAndRenames() {
        create(Kind.NETWORK, "one");

        Shell.Result result =
                shell.run("policy", "replace", "network/one", "-f", file(draft(Kind.NETWORK, "two")), "--json");

        assertThat(result.code()).isZero();
        assertThat(result.json().path("data"))
                .isEqualTo(stored(Kind.NETWORK, "two").get(0));
        assertThat(stored(Kind.NETWORK, "one")).isEmpty();
    }

    @Test
    void replaceOverwritesNoChangeOfOthersUnlessForced() {
        create(Kind.NETWORK, "one");
        String stale = file(shell.run("policy", "get", "network/one", "--json").out());
        shell.run("policy", "deactivate", "network/one");

        Shell.Result refused = shell.run("policy", "replace", "-f", stale, "--kind", "network");

        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.err()).startsWith("sallyport: npol_").contains(" was changed at ");
        assertThat(stored(Kind.NETWORK, "one").get(0).path("active").asBoolean())
                .isFalse();
        assertThat(shell.run("policy", "replace", "-f", stale, "--kind", "network", "--force")
                        .code())
                .isZero();
        assertThat(stored(Kind.NETWORK, "one").get(0).path("active").asBoolean())
                .isTrue();
    }

    @Test
    void replaceOfWhatIsNotThereEndsWith1() {
        assertThat(shell.run("policy", "replace", "-f", file(draft(Kind.MCP, "none")), "--kind", "mcp")
                        .code())
                .isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void deactivateAndActivateChangeNothingElse(Kind kind) {
        JsonNode before = create(kind, "one", "--json").json().path("data");

        Shell.Result off = shell.run("policy", "deactivate", "one", "--kind", kind.word());
        JsonNode between = stored(kind, "one").get(0);
        Shell.Result on = shell.run("policy", "activate", kind.word() + "/one", "--json");

        assertThat(off).isEqualTo(new Shell.Result(0, kind.word() + "/one deactivated\n", ""));
        assertThat(between.path("active").asBoolean()).isFalse();
        assertThat(on.code()).isZero();
        assertThat(on.json().at("/data/active").asBoolean()).isTrue();
        assertThat(on.json().at("/data/rules")).isEqualTo(before.path("rules"));
        assertThat(shell.run("policy", "deactivate", kind.word() + "/none", "--json")
                        .code())
                .isEqualTo(1);
        assertThat(shell.run("policy", "activate", kind.word() + "/none").code())
                .isEqualTo(1);
    }

    @Test
    void activateTriesAgainWhenSomebodyElseWasFaster() throws Exception {
        String policy = "{\"data\": {\"id\": \"npol_1\", \"name\": \"one\", \"active\": false, \"priority\": 1}}";
        try (StubServer server = new StubServer()
                .answer(200, policy, "ETag", "\"1\"")
                .answer(412, "{\"error\": {\"code\": \"precondition_failed\", \"message\": \"changed\"}}")
                .answer(200, policy, "ETag", "\"2\"")
                .answer(200, policy)) {
            Shell.Result result = shell.run("policy", "activate", "npol_1", "--server", server.url());

            assertThat(result.code()).isZero();
            assertThat(server.requests())
                    .extracting(StubServer.Request::ifMatch)
                    .containsExactly("", "\"1\"", "", "\"2\"");
        }
    }

    @ParameterizedTest
    @EnumSource
    void deleteTakesSeveral(Kind kind) {
        create(kind, "one");
        String id = create(kind, "two", "--json").json().at("/data/id").asText();

        Shell.Result result = shell.run("policy", "delete", kind.word() + "/one", id);

        assertThat(result).isEqualTo(new Shell.Result(0, kind.word() + "/one deleted\n" + id + " deleted\n", ""));
        assertThat(control.send("GET", kind.path(), key, null).path("data")).isEmpty();
    }

    @Test
    void deleteWithJsonPrintsNothingSinceTheApiAnswersNothing() {
        create(Kind.MCP, "one");

        assertThat(shell.run("policy", "delete", "mcp/one", "--json")).isEqualTo(new Shell.Result(0, "", ""));
        assertThat(stored(Kind.MCP, "one")).isEmpty();
    }

    @Test
    void deleteDoesTheOthersWhenOneIsNotThere() {
        create(Kind.MCP, "one");

        Shell.Result result = shell.run("policy", "delete", "mcp/none", "mcp/one", "-o", "name");

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.out()).isEqualTo("mcp/one\n");
        assertThat(result.err()).startsWith("sallyport: no MCP policy is called none ");
        assertThat(shell.run("policy", "delete", "mcp/none", "--ignore-not-found"))
                .isEqualTo(new Shell.Result(0, "", ""));
    }
}
