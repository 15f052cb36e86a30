package dev.sallyport.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.core.PipelineUpdate;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Set;
import org.bouncycastle.crypto.hpke.HPKE;
import org.bouncycastle.crypto.hpke.HPKEContextWithEncapsulation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/spec/decisions.md, section 16: secrets that come sealed for this proxy. */
class CredentialsTest {

    private static final String VALUE = "s3cr3t-0123456789";

    private final BootKey key = BootKey.make();

    private static byte[] bytes(String... parts) {
        return String.join("\0", parts).getBytes(StandardCharsets.UTF_8);
    }

    /** An event as the control plane makes it: pairs of id and version, with one value. */
    private ObjectNode event(boolean whole, String proxy, String epoch, String... idsAndVersions) throws Exception {
        HPKE hpke = new HPKE(HPKE.mode_base, HPKE.kem_X25519_SHA256, HPKE.kdf_HKDF_SHA256, HPKE.aead_AES_GCM256);
        HPKEContextWithEncapsulation context = hpke.setupBaseS(
                hpke.deserializePublicKey(Base64.getDecoder().decode(key.publicKey())),
                bytes("sallyport feed secrets 1", proxy, epoch));
        ObjectNode event = Pipelines.JSON.createObjectNode().put("whole", whole);
        event.put("encapsulation", context.getEncapsulation());
        ArrayNode secrets = event.putArray("secrets");
        for (int i = 0; i < idsAndVersions.length; i += 2) {
            String id = idsAndVersions[i];
            String version = idsAndVersions[i + 1];
            secrets.addObject()
                    .put("id", id)
                    .put("version", version)
                    .put("value", context.seal(bytes(id, version), bytes(VALUE + " of " + id + " " + version)));
        }
        return (ObjectNode) Pipelines.JSON.readTree(event.toString());
    }

    private Credentials opened(ObjectNode event, Credentials held) throws UnusableSnapshotException {
        return Credentials.of(event, held, key, "prx_1", "e");
    }

    private static String value(Credentials credentials, String id) {
        return credentials.byId().get(id).value().text();
    }

    @Test
    void theWholeTakesThePlaceOfWhatIsHeldAndADifferenceAddsToIt() throws Exception {
        Credentials first = opened(event(true, "prx_1", "e", "a", "1", "b", "1"), Credentials.NONE);
        ObjectNode difference = event(false, "prx_1", "e", "b", "2", "c", "1");
        difference.putArray("removed").add("a");
        Credentials second = opened(difference, first);

        assertThat(first.byId()).containsOnlyKeys("a", "b");
        assertThat(second.byId()).containsOnlyKeys("b", "c");
        assertThat(value(second, "b")).isEqualTo(VALUE + " of b 2");
        assertThat(opened(event(true, "prx_1", "e"), second)).isEqualTo(Credentials.NONE);
        assertThat(first.hash("p")).isNotEqualTo(second.hash("p")).isNotEqualTo(first.hash("q"));
        assertThat(Credentials.NONE.hash("p")).isEqualTo("p");
    }

    @ParameterizedTest
    @CsvSource({"prx_2, e", "prx_1, f", "'', e", "prx_1, ''"})
    void whatWasSealedForAnotherProxyOrEpochDoesNotOpen(String proxy, String epoch) throws Exception {
        ObjectNode event = event(true, proxy, epoch, "a", "1");

        assertThatThrownBy(() -> opened(event, Credentials.NONE))
                .isInstanceOf(UnusableSnapshotException.class)
                .hasMessageNotContaining(VALUE);
    }

    /** Each value is bound to its secret and version. */
    @ParameterizedTest
    @ValueSource(strings = {"id", "version"})
    void aValueThatWasSealedForAnotherSecretOrVersionDoesNotOpen(String field) throws Exception {
        ObjectNode event = event(true, "prx_1", "e", "a", "1");
        ((ObjectNode) event.at("/secrets/0")).put(field, "2");

        assertThatThrownBy(() -> opened(event, Credentials.NONE)).isInstanceOf(UnusableSnapshotException.class);
    }

    @Test
    void whatWasSealedBeforeThisStartDoesNotOpen() throws Exception {
        ObjectNode event = event(true, "prx_1", "e", "a", "1");

        assertThatThrownBy(() -> Credentials.of(event, Credentials.NONE, BootKey.make(), "prx_1", "e"))
                .isInstanceOf(UnusableSnapshotException.class);
    }

    @Test
    void whatIsNoBase64IsRefusedWithoutBeingQuoted() throws Exception {
        ObjectNode event = event(true, "prx_1", "e", "a", "1");
        ((ObjectNode) event.at("/secrets/0")).put("value", "!" + VALUE);

        assertThatThrownBy(() -> opened(event, Credentials.NONE)).hasMessageNotContaining(VALUE);
        event.put("encapsulation", 7);
        assertThatThrownBy(() -> opened(event, Credentials.NONE)).isInstanceOf(UnusableSnapshotException.class);
    }

    /** A secret that the control plane cannot read has no value; it is one nevertheless. */
    @Test
    void aSecretMayHaveNoValue() throws Exception {
        ObjectNode event = event(true, "prx_1", "e", "a", "1");
        ((ObjectNode) event.at("/secrets/0")).remove("value");

        Credentials credentials = opened(event, Credentials.NONE);

        PipelineUpdate.Builder update = PipelineUpdate.builder();
        credentials.into(update, "e", Set.of("gone"), "why");
        assertThat(update.build().secrets()).isEmpty();
        assertThat(update.build().removedSecrets()).containsExactlyInAnyOrder("a", "gone");
    }

    @Test
    void theyGoIntoAnUpdateWithVersionsThatAreOfOneEpoch() throws Exception {
        Credentials credentials = opened(event(true, "prx_1", "e", "a", "1"), Credentials.NONE);
        PipelineUpdate.Builder update = PipelineUpdate.builder();

        credentials.into(update, "e", Set.of("a", "gone"), "why");

        assertThat(update.build().secrets().get("a").version()).isEqualTo("e:1");
        assertThat(update.build().removedSecrets()).containsExactly("gone");
    }

    @Test
    void withoutValuesTheyAreKnownAndGone() throws Exception {
        Credentials expired =
                opened(event(true, "prx_1", "e", "a", "1"), Credentials.NONE).withoutValues();
        PipelineUpdate.Builder update = PipelineUpdate.builder();
        expired.into(update, "e", Set.of("a"), "why");

        assertThat(update.build().secrets()).isEmpty();
        assertThat(update.build().removedSecrets()).containsExactly("a");
        assertThat(expired.mayExpire()).isFalse();
        ObjectNode difference = event(false, "prx_1", "e", "b", "1");
        assertThatThrownBy(() -> opened(difference, expired)).isInstanceOf(UnusableSnapshotException.class);
    }

    @Test
    void theirTextsShowNoValue() throws Exception {
        Credentials credentials = opened(event(true, "prx_1", "e", "a", "1"), Credentials.NONE);
        Snapshot snapshot = new Snapshot("e", 1, "h", SnapshotTest.PIPELINE, credentials);

        assertThat(credentials + " " + credentials.byId() + " " + snapshot + " " + key)
                .contains("a")
                .doesNotContain(VALUE);
    }
}
