package dev.sallyport.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.sallyport.core.audit.chain.AuditKey;
import dev.sallyport.core.audit.chain.Checkpoint;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code proxy} and its commands. */
class ProxyTest {

    private final TestControl control = TestControl.shared();
    private final String key = control.newKey();
    private Shell shell;

    @TempDir
    Path folder;

    @BeforeEach
    void signIn() {
        shell = new Shell(folder).with("SALLYPORT_SERVER", control.url()).with("SALLYPORT_API_KEY", key);
    }

    @Test
    void addPrintsTheTokenAloneToStandardOutput() {
        Shell.Result result = shell.run("proxy", "add", "eu-1", "--tags", "eu,prod");

        assertThat(result.code()).isZero();
        assertThat(result.out()).matches("sp_proxy_[A-Za-z0-9_-]{43}\n");
        assertThat(result.err())
                .matches("prx_[0-9a-z]{26} added \\(name eu-1, tags eu,prod\\); its token is not shown again\n");
        assertThat(control.send("GET", "/v1/proxies", key, null)
                        .at("/data/0/tags/1")
                        .asText())
                .isEqualTo("prod");
    }

    @Test
    void addWithJsonAnswersTheDocumentOfTheApi() {
        Shell.Result result = shell.run("proxy", "add", "eu-1", "--json");

        assertThat(result.code()).isZero();
        assertThat(result.err()).isEmpty();
        assertThat(result.json().at("/data/token").asText()).startsWith("sp_proxy_");
        assertThat(result.json().at("/data/tags")).isEmpty();
    }

    @Test
    void headPrintsTheCheckpointAsItIs() {
        JsonNode made = shell.run("proxy", "add", "eu-1", "--json").json().path("data");
        String heads = "/v1/proxies/" + made.path("id").asText() + "/heads";
        Shell.Result none = shell.run("proxy", "head", "eu-1");
        assertThat(none.code()).isEqualTo(1);
        assertThat(none.err()).contains("no checkpoint of eu-1 is here");
        AuditKey signer = AuditKey.generate("sallyport");
        tell(made, signer, 7);

        Shell.Result shown = shell.run("proxy", "head", "eu-1");

        String note = control.send("GET", heads, key, null).at("/data/0/note").asText();
        assertThat(shown).isEqualTo(new Shell.Result(0, note, ""));
        assertThat(note).contains("\n7\n", "\u2014 sallyport-control/");
        assertThat(shell.run("proxy", "head", "eu-1", "--json").json())
                .isEqualTo(control.send("GET", heads, key, null));
        tell(made, signer, 5);
        Shell.Result cut = shell.run("proxy", "head", "eu-1");
        assertThat(cut.out()).isEqualTo(note);
        assertThat(cut.err()).contains("cut off or rewritten");
        assertThat(shell.run("proxy", "head", "none").code()).isEqualTo(1);
    }

    private void tell(JsonNode proxy, AuditKey signer, long size) {
        Checkpoint checkpoint = new Checkpoint(
                signer.publicKey().name(), size, new byte[32], Instant.parse("2026-01-02T03:04:05.678Z"));
        String body = JsonNodeFactory.instance
                .objectNode()
                .put("note", checkpoint.signed(signer))
                .put("key", signer.publicKey().toString())
                .toString();
        control.send("POST", "/v1/feed/heads", proxy.path("token").asText(), body);
    }

    @Test
    void addThatCannotSucceedSendsNothing() {
        assertThat(shell.run("proxy", "add", "x", "-o", "name").code()).isEqualTo(2);
        assertThat(shell.run("proxy", "add").code()).isEqualTo(2);
        assertThat(shell.run("proxy", "list", "--json").json().path("data")).isEmpty();
    }

    @Test
    void addOfANameThatIsTakenOrNoneEndsWith1() {
        shell.run("proxy", "add", "a");

        assertThat(shell.run("proxy", "add", "a").err()).startsWith("sallyport: refused with 409 proxy_name_taken");
        assertThat(shell.run("proxy", "add", "a", "--json").code()).isEqualTo(1);
        assertThat(shell.run("proxy", "add", "No Name").err()).contains("\n  name: ");
    }

    @Test
    void addWithAKeyOfItsOwnMakesOneProxy() {
        String[] command = {"proxy", "add", "a", "--idempotency-key", "build-7"};

        assertThat(shell.run(command).out()).isEqualTo(shell.run(command).out());
    }

    @Test
    void listShowsATable() {
        shell.run("proxy", "add", "b");
        shell.run("proxy", "add", "a", "--tags", "eu");

        Shell.Result result = shell.run("proxy", "list");

        assertThat(result.code()).isZero();
        assertThat(result.table().getFirst()).isEqualTo("NAME ID STATUS APPLIED PROBLEMS TAGS SEEN AGE");
        assertThat(result.table().get(1)).matches("a prx_[0-9a-z]{26} new <none> 0 eu never [0-9]+s");
        assertThat(result.table().get(2)).matches("b prx_[0-9a-z]{26} new <none> 0 <none> never [0-9]+s");
        assertThat(shell.run("proxy", "list", "-o", "name").out()).isEqualTo("a\nb\n");
    }

    @Test
    void listWithJsonIsTheDocumentOfTheApi() {
        shell.run("proxy", "add", "a");

        assertThat(shell.run("proxy", "list", "--json").json())
                .isEqualTo(control.send("GET", "/v1/proxies", key, null));
    }

    @Test
    void anEmptyListSaysSo() {
        assertThat(shell.run("proxy", "list")).isEqualTo(new Shell.Result(0, "", "no proxies\n"));
    }

    @Test
    void getTakesAnIdentifierOrAName() {
        String id =
                shell.run("proxy", "add", "a", "--json").json().at("/data/id").asText();

        JsonNode byName = shell.run("proxy", "get", "a", "--json").json();

        assertThat(byName).isEqualTo(shell.run("proxy", "get", id, "--json").json());
        assertThat(byName).isEqualTo(control.send("GET", "/v1/proxies/" + id, key, null));
        assertThat(shell.run("proxy", "get", "a").table()).hasSize(2);
    }

    @Test
    void getShowsWhatDoesNotWorkThere() throws Exception {
        String proxy =
                "{\"data\": {\"id\": \"prx_1\", \"name\": \"a\", \"status\": \"connected\", \"applied_revision\": 7, \"problems\": [{\"policy_id\": \"spol_1\", \"pointer\": \"/transforms/1\", \"message\": \"no such source\\u001b[31m\"}, {\"policy_id\": null, \"pointer\": \"\", \"message\": \"too long\"}]}}";
        try (StubServer server = new StubServer().answer(200, proxy)) {
            Shell.Result result = shell.with("SALLYPORT_SERVER", server.url()).run("proxy", "get", "prx_1");

            assertThat(result.code()).isZero();
            assertThat(result.table().get(1)).startsWith("a prx_1 connected 7 2 <none> never");
            assertThat(result.table().get(2))
                    .startsWith("spol_1 /transforms/1: no such source")
                    .doesNotContain("\u001b");
            assertThat(result.table().get(3)).isEqualTo("<none> : too long");
        }
    }

    @Test
    void removeTakesIdentifiersAndNames() {
        String first =
                shell.run("proxy", "add", "a", "--json").json().at("/data/id").asText();
        shell.run("proxy", "add", "b");

        Shell.Result result = shell.run("proxy", "remove", first, "b");

        assertThat(result).isEqualTo(new Shell.Result(0, first + " removed\nb removed\n", ""));
        assertThat(shell.run("proxy", "list", "--json").json().path("data")).isEmpty();
    }

    @Test
    void removeWithJsonPrintsNothingSinceTheApiAnswersNothing() {
        shell.run("proxy", "add", "a");

        assertThat(shell.run("proxy", "remove", "a", "--json")).isEqualTo(new Shell.Result(0, "", ""));
    }

    @Test
    void whatIsNotThereEndsWith1() {
        String unknown = "prx_00000000000000000000000000";

        assertThat(shell.run("proxy", "get", "none", "--json").code()).isEqualTo(1);
        assertThat(shell.run("proxy", "get", unknown).err()).startsWith("sallyport: refused with 404 proxy_not_found");
        assertThat(shell.run("proxy", "remove", "none").code()).isEqualTo(1);
        assertThat(shell.run("proxy", "remove", "none", unknown, "--ignore-not-found"))
                .isEqualTo(new Shell.Result(0, "", ""));
    }

    @Test
    void aKeyThatIsNotValidEndsWith4() {
        shell.with("SALLYPORT_API_KEY", "sp_live_0123456789012345678901234567890123456789012");

        for (String[] command : new String[][] {
            {"proxy", "list"}, {"proxy", "get", "a"}, {"proxy", "add", "a"}, {"proxy", "remove", "a", "--json"}
        }) {
            assertThat(shell.run(command).code()).isEqualTo(4);
        }
    }
}
