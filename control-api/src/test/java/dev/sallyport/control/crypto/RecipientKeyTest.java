package dev.sallyport.control.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.crypto.tink.HybridDecrypt;
import com.google.crypto.tink.InsecureSecretKeyAccess;
import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.RegistryConfiguration;
import com.google.crypto.tink.hybrid.HpkeParameters;
import com.google.crypto.tink.hybrid.HpkePrivateKey;
import com.google.crypto.tink.hybrid.HpkePublicKey;
import com.google.crypto.tink.hybrid.HybridConfig;
import com.google.crypto.tink.util.Bytes;
import com.google.crypto.tink.util.SecretBytes;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.bouncycastle.crypto.hpke.HPKE;
import org.bouncycastle.crypto.hpke.HPKEContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 9180: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-256-GCM, base mode. */
class RecipientKeyTest {

    // The key pair of the vectors that were published with RFC 9180 for these.
    private static final byte[] PRIVATE =
            HexFormat.of().parseHex("497b4502664cfea5d5af0b39934dac72242a74f8480451e1aee7d6a53320333d");
    private static final byte[] PUBLIC =
            HexFormat.of().parseHex("430f4b9859665145a6b1ba274024487bd66f03a2dd577d7753c68d7d7d00c00c");

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Tink has an implementation of its own. */
    @Test
    void anotherImplementationOpensIt() throws Exception {
        HybridConfig.register();
        HpkeParameters parameters = HpkeParameters.builder()
                .setVariant(HpkeParameters.Variant.NO_PREFIX)
                .setKemId(HpkeParameters.KemId.DHKEM_X25519_HKDF_SHA256)
                .setKdfId(HpkeParameters.KdfId.HKDF_SHA256)
                .setAeadId(HpkeParameters.AeadId.AES_256_GCM)
                .build();
        HpkePrivateKey key = HpkePrivateKey.create(
                HpkePublicKey.create(parameters, Bytes.copyFrom(PUBLIC), null),
                SecretBytes.copyFrom(PRIVATE, InsecureSecretKeyAccess.get()));
        HybridDecrypt tink = KeysetHandle.newBuilder()
                .addEntry(KeysetHandle.importKey(key).withRandomId().makePrimary())
                .build()
                .getPrimitive(RegistryConfiguration.get(), HybridDecrypt.class);

        RecipientKey.Message message = RecipientKey.of(PUBLIC).seal(bytes("info"));
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(message.encapsulation());
        all.writeBytes(message.seal(bytes("value"), new byte[0]));

        assertThat(tink.decrypt(all.toByteArray(), bytes("info"))).isEqualTo(bytes("value"));
        assertThatThrownBy(() -> tink.decrypt(all.toByteArray(), bytes("other")))
                .isInstanceOf(java.security.GeneralSecurityException.class);
    }

    @Test
    void severalValuesAreOpenedInTheirOrderEachAsWhatItIs() throws Exception {
        RecipientKey.Message message = RecipientKey.of(PUBLIC).seal(bytes("info"));
        byte[] first = message.seal(bytes("one"), bytes("a"));
        byte[] second = message.seal(bytes("two"), bytes("b"));

        HPKE hpke = new HPKE(HPKE.mode_base, HPKE.kem_X25519_SHA256, HPKE.kdf_HKDF_SHA256, HPKE.aead_AES_GCM256);
        HPKEContext context =
                hpke.setupBaseR(message.encapsulation(), hpke.deserializePrivateKey(PRIVATE, PUBLIC), bytes("info"));
        assertThat(context.open(bytes("a"), first)).isEqualTo(bytes("one"));
        assertThat(context.open(bytes("b"), second)).isEqualTo(bytes("two"));
        assertThat(RecipientKey.of(PUBLIC).seal(bytes("info")).encapsulation())
                .as("each message is sealed anew")
                .isNotEqualTo(message.encapsulation());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 31, 33})
    void aKeyOfAnotherLengthIsNone(int length) {
        assertThatThrownBy(() -> RecipientKey.of(new byte[length])).isInstanceOf(IllegalArgumentException.class);
    }

    /** Points of small order, with which every shared secret is zero (RFC 7748, 6.1). */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "0000000000000000000000000000000000000000000000000000000000000000",
                "0100000000000000000000000000000000000000000000000000000000000000",
                "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"
            })
    void aKeyThatHidesNothingIsNone(String point) {
        byte[] key = HexFormat.of().parseHex(point);

        assertThatThrownBy(() -> RecipientKey.of(key)).isInstanceOf(IllegalArgumentException.class);
        assertThat(RecipientKey.of(Arrays.copyOf(PUBLIC, 32)).toString()).isEqualTo("RecipientKey[]");
    }
}
