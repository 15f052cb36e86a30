package dev.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The values that drivers put into the names of files and of kernel objects. */
class ValuesTest {

    private static final String KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAA";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "vm_",
                "vm_abc",
                "vm_../../../../../../../etc/p",
                "VM_aaaaaaaaaaaaaaaaaaaaaaaaaa",
                "vm_aaaaaaaaaaaaaaaaaaaaaaaaaa\n",
                "vm_aaaaaaaaaaaaaaaaaaaaaaaaaa/"
            })
    void anIdOfAnotherFormIsRefused(String id) {
        assertThat(VmId.isValid(id)).isFalse();
        assertThatIllegalArgumentException().isThrownBy(() -> new VmId(id));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "-a", "a/b", "A", "a b", "a\n"})
    void anImageOfAnotherFormIsRefused(String name) {
        assertThat(ImageName.isValid(name)).isFalse();
        assertThatIllegalArgumentException().isThrownBy(() -> new ImageName(name));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "ssh-ed25519",
                "command=\"sh\" " + KEY,
                KEY + "\n" + KEY,
                "ssh-ed25519 AAAA!AAAAAAAAAAAAAAAAA",
                "-oProxyCommand=x AAAAC3NzaC1lZDI1NTE5AAAAIA"
            })
    void aKeyOfAnotherFormIsRefused(String key) {
        assertThatIllegalArgumentException().isThrownBy(() -> new GuestSetup("guest", key, Map.of()));
    }

    @Test
    void theNamesOfVariablesAreThoseOfPosix() {
        assertThatIllegalArgumentException().isThrownBy(() -> new GuestSetup("guest", KEY, Map.of("A;id", "x")));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new GuestSetup("guest", KEY, Map.of("A", "hidden\0")))
                .withMessageNotContaining("hidden");
    }

    @Test
    void textOfAGuestHasNoValues() {
        assertThat(new GuestSetup("guest", KEY, Map.of("A", "hidden")).toString())
                .doesNotContain("hidden");
        assertThat(new GuestVariables(Map.of("A", "hidden")).toString()).doesNotContain("hidden");
    }

    @Test
    void limitsHaveRanges() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new VmLimits(1, 500, 100, 1 << 30))
                .withMessageContaining("memoryBytes is 1 (expected: 67108864 to");
        assertThatIllegalArgumentException().isThrownBy(() -> new VmLimits(1 << 28, 0, 100, 1 << 30));
        assertThatIllegalArgumentException().isThrownBy(() -> new VmLimits(1 << 28, 500, 1, 1 << 30));
        assertThatIllegalArgumentException().isThrownBy(() -> new VmLimits(1 << 28, 500, 100, 1));
    }
}
