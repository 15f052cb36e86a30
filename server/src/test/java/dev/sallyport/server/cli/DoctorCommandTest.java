package dev.sallyport.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code sallyport doctor}, from its arguments to its exit code, on whatever machine this is. */
class DoctorCommandTest {

    private final StringWriter out = new StringWriter();

    private int run(String... arguments) {
        return Tool.commandLine().setOut(new PrintWriter(out, true)).execute(arguments);
    }

    @Test
    void without_more_it_looks_at_run_alone() {
        int ended = run("doctor", "--isolate", "env");

        assertThat(ended).isZero();
        assertThat(out.toString()).startsWith("ok    run --isolate env: ").hasLineCount(1);
    }

    @Test
    void what_sandboxes_need_is_for_programs_too_and_decides_the_exit_code() throws Exception {
        int ended = run("doctor", "--for", "sandboxes,run", "--isolate", "env", "--json");

        JsonNode report = new ObjectMapper().readTree(out.toString());
        boolean well = true;
        for (JsonNode need : report.path("needs")) {
            well &= need.path("met").asBoolean() || !need.path("required").asBoolean();
        }
        assertThat(report.path("ok").asBoolean()).isEqualTo(well);
        assertThat(ended).isEqualTo(well ? 0 : 1);
        List<String> names = report.path("needs").findValuesAsText("name");
        assertThat(names)
                .contains("root", "nft", "overlayfs", "runtime", "disk", "kvm")
                .endsWith("run --isolate env");
        assertThat(report.path("needs").findValuesAsText("for"))
                .startsWith("sandboxes")
                .endsWith("run");
    }
}
