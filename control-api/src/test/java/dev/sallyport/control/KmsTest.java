package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.control.crypto.Envelope;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.StoreSettings;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.testsupport.FakeKms;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.bouncycastle.crypto.params.X25519PrivateKeyParameters;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code control.encryption.kms_key_id} (docs/spec/decisions.md, section 16), on SQLite. */
@Timeout(120)
class KmsTest {

    private static final String SECTION = "  encryption: {kms_key_id: \"" + FakeKms.KEY + "\"}\n";

    @TempDir
    Path folder;

    private FakeKms kms;
    private URI address;
    private Commands commands;
    private String file;

    @BeforeEach
    void open() throws Exception {
        kms = new FakeKms();
        commands = new Commands(folder);
        file = commands.fileWith(SECTION);
    }

    @AfterEach
    void close() {
        kms.close();
    }

    private interface Work {
        void with(Api api) throws Exception;
    }

    private void whileItRuns(String key, Work work) throws Exception {
        Commands server = new Commands(folder);
        String configuration = server.fileWith(SECTION);
        try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
            Future<Integer> running = threads.submit(() -> server.run("", "-config", configuration));
            server.serving.await();
            address = server.address();
            try {
                work.with(new Api(server.address(), key, null));
            } finally {
                server.stop.countDown();
            }
            assertThat(running.get()).as(server.err()).isZero();
        }
    }

    private static void readable(Api api) {
        assertThat(api.get("/v1/env/A").json().path("value").asText()).isEqualTo("a value");
    }

    private String keyset() throws Exception {
        Path database = folder.resolve(".sallyport/control/control.db");
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select value from meta where name = 'encryption_keyset'")) {
            rows.next();
            return rows.getString(1);
        }
    }

    @Test
    void theKeyIsInTheDatabaseSealedByKmsAndIsReadAtTheStart() throws Exception {
        String key = commands.addUser(file, "a@example.com");
        assertThat(kms.calls()).containsExactly("Encrypt", "Decrypt");
        assertThat(Files.exists(folder.resolve(".sallyport/control/encryption.key")))
                .isFalse();
        assertThat(keyset()).doesNotContain("AesGcm");

        whileItRuns(key, api -> {
            api.put("/v1/env/A", "{\"value\": \"a value\"}");
            readable(api);
        });
        whileItRuns(key, KmsTest::readable);

        assertThat(kms.calls()).containsExactly("Encrypt", "Decrypt", "Decrypt", "Decrypt");
    }

    @Test
    @Tag("long")
    void aRotationSealsTheNewKeysetByKms() throws Exception {
        String key = commands.addUser(file, "a@example.com");
        whileItRuns(key, api -> {
            api.put("/v1/env/A", "{\"value\": \"a value\"}");
            String before = keyset();

            assertThat(commands.run("", "rotate-key", "-config", file))
                    .as(commands.err())
                    .isZero();
            assertThat(keyset()).isNotEqualTo(before);
            assertThat(commands.run("", "rotate-key", "--remove-old", "-config", file))
                    .as(commands.err())
                    .isZero();
            readable(api);
        });
        whileItRuns(key, KmsTest::readable);
    }

    /** As another replica does that rotates, and stores a value, while KMS answers there and not here. */
    private void storeWithAnotherKey(String organization, String secret, String value) throws Exception {
        AwsKms outside = AwsKms.key(FakeKms.KEY);
        byte[] before = outside.decrypt(Base64.getDecoder().decode(keyset()));
        String rotated = Envelope.of(new String(before, StandardCharsets.UTF_8)).rotated();
        byte[] wrapped = outside.encrypt(rotated.getBytes(StandardCharsets.UTF_8));
        kms.refuse("KMSInternalException");
        Path database = folder.resolve(".sallyport/control/control.db");
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database);
                PreparedStatement keyset =
                        connection.prepareStatement("update meta set value = ? where name = 'encryption_keyset'");
                PreparedStatement row = connection.prepareStatement(
                        "update secret set sealed_value = ?, value_version = value_version + 1 where id = ?")) {
            keyset.setString(1, Base64.getEncoder().encodeToString(wrapped));
            assertThat(keyset.executeUpdate()).isEqualTo(1);
            row.setBytes(
                    1,
                    Envelope.of(rotated).seal(value.getBytes(StandardCharsets.UTF_8), organization, "secret", secret));
            row.setString(2, secret);
            assertThat(row.executeUpdate()).isEqualTo(1);
        }
    }

    private static String secret(Api api) {
        return api.post("/v1/secrets", "{\"name\": \"A\", \"secret\": \"one\", \"env_var\": \"A\"}")
                .json()
                .path("id")
                .asText();
    }

    /** A new proxy: its token. */
    private static String proxy(Api api) {
        return api.post("/v1/proxies", "{\"name\": \"p\"}").data().path("token").asText();
    }

    /** A proxy that has nothing, and can be given secrets. */
    private FeedStream open(String token) throws Exception {
        byte[] key = new X25519PrivateKeyParameters(new SecureRandom())
                .generatePublicKey()
                .getEncoded();
        return FeedStream.open(
                address, token, "Sallyport-Key", Base64.getEncoder().encodeToString(key));
    }

    /** Sealing anew is no change that the feed sees. */
    @Tag("long")
    @Test
    void aProxyThatConnectsAfterOldKeysWereRemovedGetsItsSecrets() throws Exception {
        String key = commands.addUser(file, "a@example.com");
        whileItRuns(key, api -> {
            secret(api);
            String token = proxy(api);
            for (String time : List.of("before", "after")) {
                try (FeedStream stream = open(token)) {
                    assertThat(stream.next("secrets").data().path("secrets"))
                            .as(time)
                            .hasSize(1)
                            .allMatch(sent -> sent.has("value"));
                    stream.take();
                }
                assertThat(commands.run("", "rotate-key", "--remove-old", "-config", file))
                        .as(commands.err())
                        .isZero();
            }
        });
    }

    @Test
    @Tag("long")
    void aValueWithAKeyThatKmsDoesNotGiveOutComesToProxiesOnceItDoes() throws Exception {
        String key = commands.addUser(file, "a@example.com");
        whileItRuns(key, api -> {
            String secret = secret(api);
            String organization =
                    api.get("/v1/me").json().at("/organization/id").asText();
            try (FeedStream stream = open(proxy(api))) {
                assertThat(stream.next("secrets").data().at("/secrets/0").has("value"))
                        .isTrue();
                String before = stream.take().data().path("hash").asText();
                storeWithAnotherKey(organization, secret, "two");

                api.post(
                        "/v1/policies/network",
                        "{\"name\": \"n\", \"priority\": 1, \"rules\": [{\"host\": \"a.test\"}]}");

                JsonNode lacking = stream.next("secrets").data();
                assertThat(lacking.at("/removed/0").asText()).endsWith("/A");
                assertThat(lacking.path("secrets")).isEmpty();
                FeedStream.Event second = stream.take();
                assertThat(second.text()).contains("a.test");

                kms.refuse("");

                JsonNode whole = stream.next("secrets").data();
                assertThat(whole.at("/secrets/0/id").asText()).endsWith("/A");
                assertThat(whole.at("/secrets/0").has("value")).isTrue();
                assertThat(stream.take().data().path("hash").asText())
                        .isNotIn(before, second.data().path("hash").asText());
            }
        });
    }

    @Test
    void moreOldKeysThanKmsEncryptsAreToldBeforeItIsAsked() throws Exception {
        String database = "jdbc:sqlite:" + folder.resolve("many.db");
        try (Store store = Store.open(new StoreSettings(database, null, null), Clock.systemUTC())) {
            EncryptionKey key = new KeyInKms(AwsKms.key(FakeKms.KEY));
            Envelope envelope = KeyCheck.envelope(key, store);
            KeyCheck.check(store, envelope);
            KeyRotation rotation = new KeyRotation(store, envelope, key, Duration.ZERO);

            assertThatThrownBy(() -> {
                        for (int i = 0; i < 40; i++) {
                            rotation.run(false);
                        }
                    })
                    .isInstanceOf(Refusal.class)
                    .hasMessageContaining("too many old keys")
                    .hasMessageContaining("(expected: sallyport control rotate-key --remove-old)");

            assertThat(envelope.size()).isBetween(10, 30);
            int seals = envelope.primaryId();
            rotation.run(true);
            assertThat(envelope.size()).isEqualTo(1);
            assertThat(envelope.primaryId()).isEqualTo(seals);
        }
    }

    @Test
    void aKeysetThatAnotherProcessHasReplacedIsNotOverwritten() throws Exception {
        String database = "jdbc:sqlite:" + folder.resolve("two.db");
        try (Store store = Store.open(new StoreSettings(database, null, null), Clock.systemUTC())) {
            EncryptionKey key = new KeyInKms(AwsKms.key(FakeKms.KEY));
            Envelope envelope = KeyCheck.envelope(key, store);
            String before = key.read(store);
            String theirs = envelope.rotated();
            new KeyInKms(AwsKms.key(FakeKms.KEY)).replace(store, before, theirs);

            assertThatThrownBy(() -> key.replace(store, before, envelope.rotated()))
                    .isInstanceOf(ConfigException.class)
                    .hasMessage("the keyset was replaced meanwhile");

            assertThat(key.read(store)).isEqualTo(theirs);
        }
    }

    @Test
    void aBackupIsRestoredWithTheKeysetInIt() throws Exception {
        String key = commands.addUser(file, "a@example.com");
        whileItRuns(key, api -> api.put("/v1/env/A", "{\"value\": \"a value\"}"));
        String backup = folder.resolve("backup.db").toString();
        assertThat(commands.run("", "backup", "-config", file, "--to", backup)).isZero();
        Files.delete(folder.resolve(".sallyport/control/control.db"));

        assertThat(commands.run("", "restore", "-config", file, "--from", backup))
                .as(commands.err())
                .isZero();

        whileItRuns(key, KmsTest::readable);
    }

    @Test
    void aRefusalEndsTheStartAndAnotherKeyIsNotMade() throws Exception {
        commands.addUser(file, "a@example.com");
        String before = keyset();
        kms.refuse("AccessDeniedException");

        assertThat(commands.run("", "add-key", "-config", file, "--email", "a@example.com"))
                .isEqualTo(1);

        assertThat(commands.err())
                .contains("/control/encryption/kms_key_id: AWS KMS refuses with 400 AccessDeniedException (expected: "
                        + "a symmetric key that is enabled, and permission for kms:Decrypt)")
                .doesNotContain("of the service");
        assertThat(keyset()).isEqualTo(before);
    }

    @Test
    void aServiceThatCannotBeReachedIsTold() throws Exception {
        kms.close();
        System.setProperty("aws.endpointUrlKms", "http://127.0.0.1:1");
        try {
            assertThat(commands.run("", "add-key", "-config", file, "--email", "a@example.com"))
                    .isEqualTo(1);
        } finally {
            System.clearProperty("aws.endpointUrlKms");
        }

        assertThat(commands.err()).contains("/control/encryption/kms_key_id: AWS KMS cannot be asked: ");
    }

    @Test
    void onlyOneKeyMayBeConfigured() throws Exception {
        String both = commands.fileWith("  encryption: {kms_key_id: \"a\", key_env: K}\n");
        assertThat(commands.run("", "-config", both)).isEqualTo(1);
        assertThat(commands.err()).contains("both key_env and kms_key_id are set");
        String none = commands.fileWith("  encryption: {kms_key_id: \"not a key\"}\n");
        assertThat(commands.run("", "-config", none)).isEqualTo(1);
        assertThat(commands.err()).contains("not a key of AWS KMS");
    }
}
