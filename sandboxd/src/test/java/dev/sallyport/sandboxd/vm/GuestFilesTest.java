package dev.sallyport.sandboxd.vm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandbox.GuestSetup;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What a guest is told. */
class GuestFilesTest {

    private static final String KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAA";

    private static Map<String, GuestFiles.GuestFile> files() {
        GuestSetup guest = new GuestSetup("box", KEY, Map.of("TOKEN", "SALLYPORT_PROXY_hub", "GREETING", "hello"));
        return GuestFiles.of(guest, HostKeyPair.generate(), "10.77.0.1").stream()
                .collect(Collectors.toMap(GuestFiles.GuestFile::path, Function.identity()));
    }

    @Test
    void placeholdersAndVariablesAreInTheScriptOfTheProfile() {
        assertThat(files().get("etc/profile.d/sallyport.sh").text())
                .endsWith("export GREETING='hello'\nexport TOKEN='SALLYPORT_PROXY_hub'\n");
    }

    @Test
    void sshKnowsThePublicKeyOfTheUserAndNoPassword() {
        assertThat(files().get("root/.ssh/authorized_keys").text()).isEqualTo(KEY + "\n");
        assertThat(files().get("etc/ssh/sallyport_sshd_config").text().lines())
                .contains(
                        "AuthorizedKeysFile .ssh/authorized_keys",
                        "PermitRootLogin prohibit-password",
                        "PasswordAuthentication no",
                        "KbdInteractiveAuthentication no",
                        "MaxStartups 100");
    }

    @Test
    void aShellReadsValuesAsTheyAre() throws Exception {
        String value = "it's $(id) `id` \"x\" \\ \n end";

        Process shell = new ProcessBuilder(
                        "sh", "-c", GuestFiles.profile(Map.of("A", value)).text() + "printf %s \"$A\"")
                .redirectErrorStream(true)
                .start();

        assertThat(new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo(value);
    }
}
