package dev.sallyport.server.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.core.MachineCheck.Need;
import dev.sallyport.server.run.NamespaceCheck;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DoctorTest {

    private static Report report(List<Need> needs) {
        return new Report(Map.of("run", needs));
    }

    @Test
    void variables_work_everywhere() {
        Report report = report(new Doctor("", "").examine(false));

        assertThat(report.isWell()).isTrue();
        assertThat(report.lines()).hasSize(1).first().asString().startsWith("ok    run --isolate env");
    }

    @Test
    void what_fails_is_named_with_what_would_help() {
        Report report = report(new Doctor("", "unshare: not\npermitted").examine(true));

        if (NamespaceCheck.obstacle().isEmpty()) {
            assertThat(report.isWell()).isTrue();
            assertThat(report.lines()).contains("ok    run --isolate netns: tried");
        } else {
            assertThat(report.isWell()).isFalse();
            assertThat(report.lines())
                    .contains("      a user namespace: unshare: not permitted")
                    .contains("      install unshare, a part of util-linux");
        }
    }

    @Test
    void what_is_required_decides_and_each_thing_that_is_missing_says_what_to_do() {
        Need there = new Need("nft", true, true, "it is there", "");
        Need optional = new Need("ssh", false, false, "there is no ssh", "Debian's package openssh-client");
        Need missing = new Need("runtime", true, false, "there is neither crun nor runc", "Debian's package\ncrun");
        Map<String, List<Need>> parts = new LinkedHashMap<>();
        parts.put("run", List.of(there));
        parts.put("sandboxes", List.of(optional));
        assertThat(new Report(parts).isWell()).isTrue();
        parts.put("sandboxes", List.of(optional, missing));

        Report report = new Report(parts);

        assertThat(report.isWell()).isFalse();
        assertThat(report.lines())
                .containsExactly(
                        "ok    nft: it is there",
                        "lacks ssh: there is no ssh",
                        "      Debian's package openssh-client",
                        "fails runtime: there is neither crun nor runc",
                        "      Debian's package",
                        "      crun");
        assertThat(report.json().path("ok").asBoolean()).isFalse();
        assertThat(report.json().at("/needs/1").toString())
                .isEqualTo("{\"for\":\"sandboxes\",\"name\":\"ssh\",\"required\":false,\"met\":false,"
                        + "\"found\":\"there is no ssh\",\"remedy\":\"Debian's package openssh-client\"}");
    }

    @Test
    void the_profile_lets_unshare_make_user_namespaces() {
        assertThat(Doctor.appArmorProfile()).contains("profile sallyport-unshare /usr/bin/unshare", "userns,");
    }
}
