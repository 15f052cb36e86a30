package dev.sallyport.sandboxd.vm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandboxd.wire.Lines;
import dev.sallyport.testsupport.Tools;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys, as OpenSSH reads them. */
class HostKeyPairTest {

    @TempDir
    Path folder;

    @Test
    void opensshFindsThePublicKeyInThePrivateOne() throws Exception {
        Tools.require("ssh-keygen");
        HostKeyPair pair = HostKeyPair.generate();
        Path file = Files.writeString(folder.resolve("key"), pair.privateKey());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));

        Process keygen = new ProcessBuilder("ssh-keygen", "-y", "-f", file.toString())
                .redirectErrorStream(true)
                .start();

        assertThat(new String(keygen.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip())
                .isEqualTo(pair.publicKey().type() + " " + pair.publicKey().key());
    }

    @Test
    void aKeySurvivesItsFile() throws Exception {
        HostKeyPair pair = HostKeyPair.generate();

        HostKeyPair read = HostKeyPair.parse(pair.toJson());

        assertThat(read.publicKey()).isEqualTo(pair.publicKey());
        assertThat(read.machineId()).isEqualTo(pair.machineId());
    }

    @Test
    void eachKeyHasAMachineIdThatDoesNotTellIt() throws Exception {
        HostKeyPair pair = HostKeyPair.generate();

        assertThat(pair.machineId())
                .matches("[0-9a-f]{32}")
                .isNotEqualTo(HostKeyPair.generate().machineId());
        for (String member : List.of("seed", "point")) {
            byte[] secret = Base64.getDecoder()
                    .decode(Lines.parse(pair.toJson()).path(member).asText());
            assertThat(HexFormat.of().formatHex(secret)).hasSize(64).doesNotContain(pair.machineId());
        }
    }
}
