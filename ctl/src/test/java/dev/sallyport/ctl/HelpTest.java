package dev.sallyport.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.Subcommand;
import java.nio.file.Path;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How the command is found, and what it says of itself. */
class HelpTest {

    @TempDir
    Path folder;

    @Test
    void theProgramFindsIt() {
        assertThat(ServiceLoader.load(Subcommand.class).stream()
                        .map(ServiceLoader.Provider::get)
                        .filter(command -> command.name().equals("ctl"))
                        .toList())
                .singleElement()
                .isInstanceOf(CtlCommand.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "login",
                "logout",
                "whoami",
                "policy",
                "policy list",
                "policy get",
                "policy create",
                "policy replace",
                "policy activate",
                "policy deactivate",
                "policy delete",
                "proxy",
                "proxy list",
                "proxy get",
                "proxy head",
                "proxy add",
                "proxy remove",
                "egress",
                "egress get",
                "egress set",
                "rule",
                "rule list",
                "rule create",
                "rule delete",
                "secret",
                "secret list",
                "secret get",
                "secret create",
                "secret update",
                "secret delete",
                "env",
                "env list",
                "env get",
                "env set",
                "env delete",
                "vm",
                "vm list",
                "vm create",
                "vm get",
                "vm start",
                "vm stop",
                "vm delete",
                "vm ssh",
                "vm events",
                "vm counters",
                "snapshot",
                "snapshot list",
                "snapshot get",
                "snapshot create",
                "snapshot delete",
                "agent",
                "agent list",
                "agent get",
                "agent create",
                "agent logs",
                "agent patch",
                "agent delete",
                "audit",
                "audit list",
                "audit hours",
                "audit admin",
                "workload",
                "workload list",
                "workload get",
                "workload create",
                "workload delete",
                "apply",
                "diff",
                "key",
                "key list",
                "key create",
                "key revoke"
            })
    void everyCommandHasHelp(String command) {
        Shell.Result result =
                new Shell(folder).run((command + " --help").strip().split(" ", -1));

        assertThat(result.code()).isZero();
        assertThat(result.err()).isEmpty();
        assertThat(result.out())
                .startsWith(("Usage: sallyport ctl " + command).strip())
                .contains("--server=URL");
        assertThat(result.out().lines()).allMatch(line -> line.length() <= 100);
    }

    @Test
    void theHelpListsEveryCommand() {
        Shell.Result result = new Shell(folder).run("--help");

        assertThat(result.out()
                        .lines()
                        .dropWhile(line -> !line.equals("Commands:"))
                        .skip(1)
                        .takeWhile(line -> !line.isEmpty())
                        .filter(line -> line.matches("  \\S.*"))
                        .map(line -> line.strip().split(" ", 2)[0]))
                .containsExactly(
                        "login",
                        "logout",
                        "whoami",
                        "policy",
                        "proxy",
                        "egress",
                        "rule",
                        "snapshot",
                        "agent",
                        "workload",
                        "secret",
                        "env",
                        "vm",
                        "audit",
                        "key",
                        "apply",
                        "diff");
    }

    @Test
    void optionsMayStandBeforeTheCommand() {
        assertThat(new Shell(folder).run("--json", "policy", "list", "--help").out())
                .startsWith("Usage: sallyport ctl policy list");
    }
}
