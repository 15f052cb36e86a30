package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.core.audit.chain.AuditKey;
import dev.sallyport.core.audit.chain.ChainVerifier;
import dev.sallyport.core.audit.chain.Checkpoint;
import dev.sallyport.core.audit.chain.NoteKey;
import dev.sallyport.core.audit.chain.SignedNote;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Where the chains of proxies' audit records have got to: {@code /v1/feed/heads} and {@code /v1/proxies/ID/heads}. */
class AuditHeadsTest {

    private static final String HEADS = "/v1/feed/heads";
    private static final Instant START = Instant.parse("2026-01-02T03:04:05.678Z");

    private final TestControl control = TestControl.shared();
    private final Api api = control.newAccount();
    private final AuditKey key = AuditKey.generate("sallyport");
    private Api proxy;
    private String path;

    @BeforeEach
    void aProxy() {
        JsonNode made = api.post("/v1/proxies", "{\"name\": \"p\"}").data();
        proxy = control.anonymous().withKey(made.path("token").asText());
        path = "/v1/proxies/" + made.path("id").asText() + "/heads";
    }

    private static Checkpoint checkpoint(AuditKey key, long size, int fill, long second) {
        byte[] hash = new byte[32];
        hash[0] = (byte) fill;
        return new Checkpoint(key.publicKey().name(), size, hash, START.plusSeconds(second));
    }

    private static String body(String note, AuditKey key) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        return body.put("note", note).put("key", key.publicKey().toString()).toString();
    }

    private Api.Reply tell(long size, int fill, long second) {
        return proxy.post(HEADS, body(checkpoint(key, size, fill, second).signed(key), key));
    }

    private JsonNode head() {
        JsonNode heads = api.get(path).data();
        assertThat(heads).hasSize(1);
        return heads.get(0);
    }

    @Test
    void theLastCheckpointIsKeptAndCosigned() throws Exception {
        assertThat(api.get(path).data()).isEmpty();

        assertThat(tell(3, 1, 0).status()).isEqualTo(204);
        assertThat(tell(7, 2, 1).status()).isEqualTo(204);

        JsonNode head = head();
        assertThat(head.path("size").asLong()).isEqualTo(7);
        assertThat(head.path("origin").asText()).isEqualTo(key.publicKey().name());
        assertThat(head.path("signed_at").asText()).isEqualTo("2026-01-02T03:04:06.678Z");
        assertThat(head.path("key").asText()).isEqualTo(key.publicKey().toString());
        assertThat(head.path("contradiction").isNull()).isTrue();
        String note = head.path("note").asText();
        assertThat(ChainVerifier.head(note, List.of(key.publicKey()))).isEqualTo(checkpoint(key, 7, 2, 1));
        NoteKey cosigner = NoteKey.parse(head.path("cosigner").asText());
        assertThat(SignedNote.parse(note).isSignedBy(List.of(cosigner))).isTrue();
        assertThat(note)
                .as("the proxy's own, and one line")
                .startsWith(checkpoint(key, 7, 2, 1).signed(key));
        assertThat(SignedNote.parse(note).signatures()).isEqualTo(2);
        assertThat(cosigner.name()).startsWith("sallyport-control/");
    }

    @Test
    void anEndThatWasCutOffContradictsAndNothingOfItIsCosignedAnyMore() throws Exception {
        tell(7, 2, 1);

        assertThat(tell(5, 9, 2).error()).isEqualTo("409 audit_head_conflict");
        assertThat(tell(6, 9, 3).error()).isEqualTo("409 audit_head_conflict");

        JsonNode head = head();
        assertThat(head.path("size").asLong()).isEqualTo(7);
        assertThat(head.at("/contradiction/note").asText())
                .as("the first one")
                .isEqualTo(checkpoint(key, 5, 9, 2).signed(key));
        assertThat(tell(8, 3, 4).error()).as("it grows again").isEqualTo("409 audit_head_conflict");
        assertThat(tell(7, 2, 5).error()).as("as it was").isEqualTo("409 audit_head_conflict");
        assertThat(ChainVerifier.head(head().path("note").asText(), List.of(key.publicKey())))
                .isEqualTo(checkpoint(key, 7, 2, 1));

        AuditKey next = AuditKey.generate("sallyport");
        assertThat(proxy.post(HEADS, body(checkpoint(next, 1, 1, 6).signed(next), next))
                        .status())
                .as("a new chain")
                .isEqualTo(204);
        assertThat(api.get(path).data()).hasSize(2);
    }

    @Test
    void recordsThatWereRewrittenContradict() {
        tell(7, 2, 1);

        assertThat(tell(7, 3, 2).error()).isEqualTo("409 audit_head_conflict");
        assertThat(tell(9, 3, 0).error()).as("signed earlier, with more").isEqualTo("409 audit_head_conflict");
    }

    @Test
    void whatComesLateOrAgainIsPassedOver() {
        tell(7, 2, 2);

        assertThat(tell(5, 1, 1).status()).isEqualTo(204);
        assertThat(tell(7, 2, 2).status()).isEqualTo(204);
        assertThat(tell(7, 2, 3).status()).isEqualTo(204);

        assertThat(head().path("size").asLong()).isEqualTo(7);
        assertThat(head().path("contradiction").isNull()).isTrue();
    }

    @Test
    void anotherKeyIsAnotherChainAndTheseHaveABound() {
        for (int i = 0; i < 20; i++) {
            AuditKey other = AuditKey.generate("sallyport");
            assertThat(proxy.post(HEADS, body(checkpoint(other, 1, 1, i).signed(other), other))
                            .status())
                    .isEqualTo(204);
        }

        assertThat(api.get(path).data()).hasSize(20);
        assertThat(tell(1, 1, 30).error()).isEqualTo("409 quota_exceeded");
    }

    @Test
    void whatIsNoCheckpointOrSignedByAnotherIsRefused() throws Exception {
        AuditKey other = AuditKey.generate("sallyport");
        String note = checkpoint(key, 7, 2, 1).signed(key);

        assertThat(proxy.post(HEADS, body(note, other)).fields()).containsExactly("note");
        assertThat(proxy.post(HEADS, body(checkpoint(key, 7, 2, 1).signed(other), key))
                        .fields())
                .containsExactly("note");
        assertThat(proxy.post(HEADS, body(note.replace("\n7\n", "\n8\n"), key)).fields())
                .containsExactly("note");
        assertThat(proxy.post(HEADS, body(other.cosign(note), key)).fields())
                .as("with a signature that is not looked at")
                .containsExactly("note");
        assertThat(proxy.post(HEADS, body("nonsense", key)).fields()).containsExactly("note");
        assertThat(proxy.post(HEADS, body(note + "\u001b[31m", key)).fields()).containsExactly("note");
        assertThat(proxy.post(HEADS, "{\"note\": \"a\", \"key\": \"b\"}").fields())
                .containsExactly("key");
        assertThat(proxy.post(HEADS, "{}").fields()).containsExactlyInAnyOrder("note", "key");
        assertThat(api.get(path).data()).isEmpty();
    }

    @Test
    void onlyTokensOfProxiesAreTakenAndAnotherProxyHasItsOwn() {
        tell(7, 2, 1);
        JsonNode made = api.post("/v1/proxies", "{\"name\": \"q\"}").data();
        Api second = control.anonymous().withKey(made.path("token").asText());

        assertThat(api.post(HEADS, "{}").error()).isEqualTo("401 unauthorized");
        assertThat(second.post(HEADS, body(checkpoint(key, 2, 9, 9).signed(key), key))
                        .status())
                .as("a copy of the key says nothing of the first proxy's chain")
                .isEqualTo(204);
        assertThat(head().path("size").asLong()).isEqualTo(7);
        assertThat(control.newAccount().get(path).error()).isEqualTo("404 proxy_not_found");
    }
}
