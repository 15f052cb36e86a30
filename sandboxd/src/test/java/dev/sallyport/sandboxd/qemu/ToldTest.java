package dev.sallyport.sandboxd.qemu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandboxd.vm.GuestFiles;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a guest is told that boots. */
class ToldTest {

    @Test
    void anotherScriptIsWhereTheFirstOneIsAndHasItsMode() {
        byte[] archive = Told.instead(GuestFiles.profile(Map.of("A", "ä")));

        assertThat(CpioTest.read(archive))
                .containsExactly(
                        Map.entry("guest/files/etc/profile.d/sallyport.sh", """
                                100644 # Variables of this sandbox.
                                [ ! -r /run/sallyport-trust/variables.sh ] || . /run/sallyport-trust/variables.sh
                                export A='ä'
                                """), Map.entry("TRAILER!!!", "0 "));
    }
}
