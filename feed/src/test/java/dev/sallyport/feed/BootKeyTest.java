package dev.sallyport.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Base64;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 9180: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-256-GCM, base mode. */
class BootKeyTest {

    // The vectors that were published with RFC 9180: mode 0, kem 0x0020, kdf 0x0001, aead 0x0002.
    private static final byte[] INFO = hex("4f6465206f6e2061204772656369616e2055726e");
    private static final byte[] PRIVATE = hex("497b4502664cfea5d5af0b39934dac72242a74f8480451e1aee7d6a53320333d");
    private static final byte[] PUBLIC = hex("430f4b9859665145a6b1ba274024487bd66f03a2dd577d7753c68d7d7d00c00c");
    private static final byte[] ENCAPSULATION = hex("6c93e09869df3402d7bf231bf540fadd35cd56be14f97178f0954db94b7fc256");
    private static final byte[] ASSOCIATED = hex("436f756e742d30");
    private static final byte[] SEALED =
            hex("e5d84cd531cfb583096e7cfa9641bd3079cf3a91cda813c52deb5f512be9931980a41de125a925cdad859d5b7a");
    private static final byte[] PLAIN = hex("4265617574792069732074727574682c20747275746820626561757479");

    private static byte[] hex(String text) {
        return HexFormat.of().parseHex(text);
    }

    private static byte[] changed(byte[] bytes) {
        byte[] other = bytes.clone();
        other[other.length / 2] ^= 1;
        return other;
    }

    @Test
    void theVectorOfTheRfcIsOpened() throws Exception {
        BootKey key = BootKey.of(PRIVATE, PUBLIC);

        assertThat(key.open(ENCAPSULATION, INFO).open(SEALED, ASSOCIATED)).isEqualTo(PLAIN);
        assertThat(key.publicKey()).isEqualTo(Base64.getEncoder().encodeToString(PUBLIC));
    }

    @Test
    void noOtherKeyMessageOrValueIs() throws Exception {
        BootKey key = BootKey.of(PRIVATE, PUBLIC);

        assertThatThrownBy(() -> BootKey.make().open(ENCAPSULATION, INFO).open(SEALED, ASSOCIATED))
                .isInstanceOf(UnusableSnapshotException.class);
        assertThatThrownBy(() -> key.open(changed(ENCAPSULATION), INFO).open(SEALED, ASSOCIATED))
                .isInstanceOf(UnusableSnapshotException.class);
        assertThatThrownBy(() -> key.open(ENCAPSULATION, changed(INFO)).open(SEALED, ASSOCIATED))
                .isInstanceOf(UnusableSnapshotException.class);
        assertThatThrownBy(() -> key.open(ENCAPSULATION, INFO).open(SEALED, changed(ASSOCIATED)))
                .isInstanceOf(UnusableSnapshotException.class);
        assertThatThrownBy(() -> key.open(ENCAPSULATION, INFO).open(changed(SEALED), ASSOCIATED))
                .isInstanceOf(UnusableSnapshotException.class);
        BootKey.Message message = key.open(ENCAPSULATION, INFO);
        message.open(SEALED, ASSOCIATED);
        assertThatThrownBy(() -> message.open(SEALED, ASSOCIATED))
                .as("in another place of the order")
                .isInstanceOf(UnusableSnapshotException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 31, 32, 33, 64})
    void whatIsNoEncapsulationIsRefused(int length) {
        assertThatThrownBy(() -> BootKey.make().open(new byte[length], INFO))
                .isInstanceOf(UnusableSnapshotException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 15, 16})
    void whatIsTooShortIsRefused(int length) throws Exception {
        BootKey.Message message = BootKey.of(PRIVATE, PUBLIC).open(ENCAPSULATION, INFO);

        assertThatThrownBy(() -> message.open(new byte[length], ASSOCIATED))
                .isInstanceOf(UnusableSnapshotException.class);
    }

    @Test
    void eachStartHasAKeyOfItsOwn() {
        assertThat(BootKey.make().publicKey()).isNotEqualTo(BootKey.make().publicKey());
    }
}
