package dev.sallyport.sandboxd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The program's arguments. */
class SandboxdTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) throws InterruptedException {
        return configured(Map.of(), arguments);
    }

    private int configured(Map<String, String> settings, String... arguments) throws InterruptedException {
        return Sandboxd.run(
                settings,
                List.of(arguments),
                new Sandboxd.Streams(
                        InputStream.nullInputStream(), new PrintWriter(out, true), new PrintWriter(err, true)));
    }

    @Test
    void helpNamesEveryOption() throws Exception {
        assertThat(run("--help")).isZero();
        assertThat(out.toString())
                .contains(
                        "[-config FILE]",
                        "--socket (/run/sallyport/sandboxd.sock)",
                        "--end-with-input (false)",
                        "--user (root)",
                        "--driver (auto)",
                        "--run-dir (/run/sallyport/sandboxd)",
                        "--connections-per-vm (1024)");
    }

    @Test
    void wrongUsageIsNamed() throws Exception {
        assertThat(run("start")).isEqualTo(2);
        assertThat(err.toString()).contains("unexpected argument start");
        assertThat(run("--dir")).isEqualTo(2);
        assertThat(run("--dir", "/a", "--dir", "/b")).isEqualTo(2);
        assertThat(err.toString()).contains("--dir is there twice");
        assertThat(run("--end-with-input", "maybe")).isEqualTo(2);
        assertThat(err.toString()).contains("end-with-input is neither true nor false");
    }

    @Test
    void anOptionOverridesWhatIsConfigured() throws Exception {
        assertThat(configured(Map.of("driver", "wizard", "dir", "x"), "--driver", "magic", "--dir", "/x"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("there is no magic").doesNotContain("wizard", "plain path");
        assertThat(configured(Map.of("driver", "wizard"))).isEqualTo(2);
        assertThat(err.toString()).contains("there is no wizard");
    }

    @Test
    void wrongSettingsComeAllAtOnce() throws Exception {
        assertThat(run("--dir", "x", "--colour", "blue")).isEqualTo(2);
        assertThat(err.toString()).contains("dir is no plain path").contains("unknown setting colour");
    }

    @Test
    void aDriverThatIsNoneIsNamed() throws Exception {
        assertThat(run("--driver", "magic")).isEqualTo(2);
        assertThat(err.toString()).contains("driver: there is no magic (expected: auto, oci, qemu)");
    }

    @Test
    void anUnknownUserIsNamed() throws Exception {
        assertThat(run("--user", "nobody-of-this-name")).isEqualTo(1);
        assertThat(err.toString()).contains("nobody-of-this-name");
    }
}
