package dev.sallyport.server.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.server.run.NamespaceCheck;
import org.junit.jupiter.api.Test;

class DoctorTest {

    @Test
    void variables_work_everywhere() {
        Doctor.Report report = new Doctor("", "").examine(false);

        assertThat(report.well()).isTrue();
        assertThat(report.lines()).hasSize(1).first().asString().startsWith("ok    run --isolate env");
    }

    @Test
    void what_fails_is_named_with_what_would_help() {
        Doctor.Report report = new Doctor("", "unshare: not\npermitted").examine(true);

        if (NamespaceCheck.obstacle().isEmpty()) {
            assertThat(report.well()).isTrue();
            assertThat(report.lines()).contains("ok    run --isolate netns: tried");
        } else {
            assertThat(report.well()).isFalse();
            assertThat(report.lines())
                    .contains("      a user namespace: unshare: not permitted")
                    .contains("      install unshare, a part of util-linux");
        }
    }

    @Test
    void the_profile_lets_unshare_make_user_namespaces() {
        assertThat(Doctor.appArmorProfile()).contains("profile sallyport-unshare /usr/bin/unshare", "userns,");
    }
}
