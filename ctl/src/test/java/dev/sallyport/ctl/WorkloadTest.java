package dev.sallyport.ctl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.testsupport.Patience;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code workload} and its commands. */
class WorkloadTest {

    private final TestControl control = TestControl.shared();
    private final String key = control.newKey();
    private Shell shell;

    @TempDir
    Path folder;

    @BeforeEach
    void signIn() {
        shell = new Shell(folder).with("SALLYPORT_SERVER", control.url()).with("SALLYPORT_API_KEY", key);
    }

    private JsonNode api(String path) {
        return control.send("GET", path, key, null);
    }

    @Test
    void createPrintsUserAndPasswordAloneToStandardOutput() {
        Shell.Result result = shell.run("workload", "create", "ci");

        assertThat(result.code()).isZero();
        assertThat(result.out()).matches("wl_[0-9a-z]{26}:sp_workload_[A-Za-z0-9_-]{43}\n");
        assertThat(result.err()).matches("wl_[0-9a-z]{26} created \\(name ci\\); its password is not shown again\n");
        assertThat(api("/v1/workloads").at("/data/0/user").asText())
                .isEqualTo(result.out().substring(0, result.out().indexOf(':')));
    }

    @Test
    void createWithJsonAnswersTheDocumentOfTheApi() {
        Shell.Result result = shell.run("workload", "create", "ci", "--json");

        assertThat(result.code()).isZero();
        assertThat(result.err()).isEmpty();
        assertThat(result.json().path("password").asText()).startsWith("sp_workload_");
        assertThat(result.json().path("name").asText()).isEqualTo("ci");
    }

    @Test
    void createThatCannotSucceedSendsNothing() {
        assertThat(shell.run("workload", "create", "x", "-o", "name").code()).isEqualTo(2);
        assertThat(shell.run("workload", "create", "x", "--wait", "--timeout", "60s")
                        .code())
                .isEqualTo(2);
        assertThat(shell.run("workload", "create").code()).isEqualTo(2);
        assertThat(api("/v1/workloads").path("data")).isEmpty();
    }

    @Test
    void createOfANameThatIsTakenOrNoneEndsWith1() {
        shell.run("workload", "create", "a");

        assertThat(shell.run("workload", "create", "a").err())
                .startsWith("sallyport: refused with 409 workload_name_taken");
        assertThat(shell.run("workload", "create", "a", "--json").code()).isEqualTo(1);
        assertThat(shell.run("workload", "create", "No Name").err()).contains("\n  name: ");
    }

    @Test
    void createWithAKeyOfItsOwnMakesOneWorkload() {
        String[] command = {"workload", "create", "a", "--idempotency-key", "build-7"};

        assertThat(shell.run(command).out()).isEqualTo(shell.run(command).out());
        assertThat(api("/v1/workloads").path("data")).hasSize(1);
    }

    @Test
    void changesWaitForTheProxy() {
        Shell.Result created = shell.run("workload", "create", "a", "--wait");
        assertThat(created.code()).isZero();
        assertThat(created.err()).endsWith(" (name a), and applied; its password is not shown again\n");

        assertThat(shell.run("workload", "delete", "a", "--wait")).isEqualTo(new Shell.Result(0, "a deleted\n", ""));
    }

    /** The password is shown, since nobody shows it again. */
    @Test
    void aChangeThatIsNotAppliedEndsWith5() throws Exception {
        String workload =
                "{\"id\": \"wl_1\", \"name\": \"a\", \"user\": \"wl_1\", \"password\": \"sp_workload_x\", \"created_at\": \"2026-11-25T10:15:23.636Z\"}";
        try (StubServer server = new StubServer().answer(201, workload)) {
            Shell.Result result = shell.with("SALLYPORT_SERVER", server.url()).run("workload", "create", "a", "--wait");

            assertThat(result.code()).isEqualTo(5);
            assertThat(result.out()).isEqualTo("wl_1:sp_workload_x\n");
            assertThat(result.err()).contains("the change was made");
        }
    }

    @Test
    void listShowsATable() {
        shell.run("workload", "create", "a");
        shell.run("workload", "create", "b");

        Shell.Result result = shell.run("workload", "list");

        assertThat(result.code()).isZero();
        assertThat(result.table().getFirst()).isEqualTo("NAME ID APPLIED PROBLEMS AGE");
        assertThat(result.table().get(1)).matches("b wl_[0-9a-z]{26} (<none>|[0-9]+) 0 [0-9]+s");
        assertThat(result.table().get(2)).matches("a wl_[0-9a-z]{26} (<none>|[0-9]+) 0 [0-9]+s");
        assertThat(shell.run("workload", "list", "-o", "name").out()).isEqualTo("b\na\n");
        assertThat(shell.run("workload", "list", "--name", "a", "-o", "name").out())
                .isEqualTo("a\n");
        assertThat(shell.run("workload", "list", "--limit", "0").code()).isEqualTo(2);
    }

    @Test
    void listWithJsonIsTheDocumentOfTheApi() {
        shell.run("workload", "create", "a");

        // Which revision the proxy has applied may change between the two.
        await().atMost(Patience.usual())
                .untilAsserted(
                        () -> assertThat(shell.run("workload", "list", "--json").json())
                                .isEqualTo(api("/v1/workloads")));
    }

    @Test
    void anEmptyListSaysSo() {
        assertThat(shell.run("workload", "list")).isEqualTo(new Shell.Result(0, "", "no workloads\n"));
    }

    @Test
    void getTakesAnIdentifierOrAName() {
        String id = shell.run("workload", "create", "a", "--wait", "--json")
                .json()
                .path("id")
                .asText();

        JsonNode byName = shell.run("workload", "get", "a", "--json").json();

        assertThat(byName)
                .isEqualTo(shell.run("workload", "get", id, "--json").json())
                .isEqualTo(api("/v1/workloads/" + id));
        assertThat(shell.run("workload", "get", "a").table()).hasSize(2);
    }

    @Test
    void getShowsWhatDoesNotWork() throws Exception {
        String workload =
                "{\"id\": \"wl_00000000000000000000000000\", \"name\": \"a\", \"user\": \"wl_1\", \"applied_revision\": 7, \"created_at\": \"2026-11-25T10:15:23.636Z\", \"problems\": [{\"policy_id\": \"spol_1\", \"pointer\": \"/transforms/1\", \"message\": \"no such source\\u001b[31m\"}]}";
        try (StubServer server = new StubServer().answer(200, workload)) {
            Shell.Result result = shell.with("SALLYPORT_SERVER", server.url())
                    .run("workload", "get", "wl_00000000000000000000000000");

            assertThat(result.code()).isZero();
            assertThat(result.table().get(1)).startsWith("a wl_00000000000000000000000000 7 1 ");
            assertThat(result.table().get(2))
                    .startsWith("spol_1 /transforms/1: no such source")
                    .doesNotContain("\u001b");
        }
    }

    @Test
    void getShowsHowItStandsAtProxiesThatAreShared() throws Exception {
        String workload =
                "{\"id\": \"wl_00000000000000000000000000\", \"name\": \"a\", \"user\": \"wl_1\", \"applied_revision\": 7, \"created_at\": \"2026-11-25T10:15:23.636Z\", \"problems\": [], \"shared_proxies\": [{\"id\": \"prx_1\", \"applied_revision\": 6, \"problems\": [{\"policy_id\": \"spol_1\", \"pointer\": \"/rules\", \"message\": \"no\"}]}, {\"id\": \"prx_2\", \"applied_revision\": null, \"problems\": []}]}";
        try (StubServer server = new StubServer().answer(200, workload)) {
            Shell.Result result = shell.with("SALLYPORT_SERVER", server.url())
                    .run("workload", "get", "wl_00000000000000000000000000");

            assertThat(result.table().subList(2, 5))
                    .containsExactly(
                            "at shared proxy prx_1: applied 6",
                            "at shared proxy prx_1: spol_1 /rules: no",
                            "at shared proxy prx_2: applied <none>");
        }
    }

    @Test
    void deleteTakesIdentifiersAndNames() {
        String first =
                shell.run("workload", "create", "a", "--json").json().path("id").asText();
        shell.run("workload", "create", "b");

        assertThat(shell.run("workload", "delete", first, "b"))
                .isEqualTo(new Shell.Result(0, first + " deleted\nb deleted\n", ""));
        assertThat(api("/v1/workloads").path("data")).isEmpty();
    }

    @Test
    void deleteWithJsonPrintsNothingSinceTheApiAnswersNothing() {
        shell.run("workload", "create", "a");

        assertThat(shell.run("workload", "delete", "a", "--json")).isEqualTo(new Shell.Result(0, "", ""));
    }

    @Test
    void whatIsNotThereEndsWith1() {
        String unknown = "wl_00000000000000000000000000";

        assertThat(shell.run("workload", "get", "none", "--json").code()).isEqualTo(1);
        assertThat(shell.run("workload", "get", unknown).err())
                .startsWith("sallyport: refused with 404 workload_not_found");
        assertThat(shell.run("workload", "delete", "none").code()).isEqualTo(1);
        assertThat(shell.run("workload", "delete", "none", unknown, "--ignore-not-found"))
                .isEqualTo(new Shell.Result(0, "", ""));
    }

    @Test
    void aKeyThatIsNotValidEndsWith4() {
        shell.with("SALLYPORT_API_KEY", "sp_live_0123456789012345678901234567890123456789012");

        for (String[] command : new String[][] {
            {"workload", "list"},
            {"workload", "get", "a"},
            {"workload", "create", "a"},
            {"workload", "delete", "a", "--json"}
        }) {
            assertThat(shell.run(command).code()).isEqualTo(4);
        }
    }
}
