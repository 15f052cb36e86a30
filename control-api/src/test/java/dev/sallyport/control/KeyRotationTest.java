package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.control.crypto.Envelope;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.StoreSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code sallyport control rotate-key}, on SQLite but for one test. */
@Timeout(120)
class KeyRotationTest {

    private static final String VALUE = "a-value-of-a-variable";

    @TempDir
    Path folder;

    private Commands commands;
    private String file;
    private Path keyFile;
    private Path database;

    @BeforeEach
    void prepare() throws Exception {
        commands = new Commands(folder);
        file = commands.fileWith("  database: {url: \"jdbc:sqlite:" + folder.resolve("rotated.db") + "\"}\n");
        keyFile = folder.resolve(".sallyport/control/encryption.key");
        database = folder.resolve("rotated.db");
    }

    private interface Work {
        void with(Commands server, Api api) throws Exception;
    }

    private void whileItRuns(String key, Work work) throws Exception {
        Commands server = new Commands(folder);
        String configuration = server.fileWith("  database: {url: \"jdbc:sqlite:" + database + "\"}\n");
        try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
            Future<Integer> running = threads.submit(() -> server.run("", "-config", configuration));
            server.serving.await();
            try {
                work.with(server, new Api(server.address(), key, null));
            } finally {
                server.stop.countDown();
            }
            assertThat(running.get()).as(server.err()).isZero();
        }
    }

    private int rotate(String... more) {
        String[] arguments = new String[3 + more.length];
        arguments[0] = "rotate-key";
        arguments[1] = "-config";
        arguments[2] = file;
        System.arraycopy(more, 0, arguments, 3, more.length);
        commands.clear();
        return commands.run("", arguments);
    }

    private static void put(Api api, int variables) {
        for (int i = 0; i < variables; i++) {
            assertThat(api.put("/v1/env/V" + i, "{\"value\": \"" + VALUE + i + "\"}")
                            .status())
                    .isEqualTo(200);
        }
    }

    private static void readable(Api api, int variables) {
        for (int i = 0; i < variables; i++) {
            assertThat(api.get("/v1/env/V" + i).json().path("value").asText()).isEqualTo(VALUE + i);
        }
    }

    private Envelope keys() throws Exception {
        return Envelope.of(Files.readString(keyFile));
    }

    /** The keys that sealed values name. */
    private Set<String> sealedWith(String table, String column) throws Exception {
        Set<String> keys = new TreeSet<>();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select distinct hex(substr(" + column + ", 1, 5)) from "
                        + table + " where " + column + " is not null")) {
            while (rows.next()) {
                keys.add(rows.getString(1));
            }
        }
        return keys;
    }

    private static String prefix(Envelope keys) {
        return String.format("01%08X", keys.primaryId());
    }

    @Test
    void everySealedColumnOfTheSchemaIsKnown() throws Exception {
        commands.addUser(file, "a@example.com");
        Set<String> found = new TreeSet<>();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "select t.name || '.' || c.name from sqlite_master t, pragma_table_info(t.name) c where t.type = 'table' and (c.name like 'sealed%' or c.name = 'request_hash')")) {
            while (rows.next()) {
                found.add(rows.getString(1));
            }
        }
        Set<String> known = new TreeSet<>();
        SealedValues.COLUMNS.forEach(column -> known.add(column.table() + "." + column.name()));
        assertThat(known).isEqualTo(found);
    }

    @Test
    void allValuesGetTheNewKeyWhileItRunsAndStayReadable() throws Exception {
        String key = commands.addUser(file, "a@example.com");
        Envelope before = keys();
        whileItRuns(key, (server, api) -> {
            put(api, 40);
            Api repeated = api.withHeader("Idempotency-Key", "k");
            String secret = "{\"name\": \"s\", \"secret\": \"" + VALUE + "\", \"env_var\": \"S\"}";
            String made = repeated.post("/v1/secrets", secret).text();
            String code =
                    api.post("/v1/auth/device/code", null).data().path("code").asText();
            api.post("/v1/auth/device/approve", "{\"code\": \"" + code + "\"}");

            assertThat(rotate()).as(commands.err()).isZero();

            assertThat(commands.out()).contains("new key: ", "values encrypted anew", "1 old keys still open values");
            Envelope after = keys();
            assertThat(after.size()).isEqualTo(2);
            assertThat(after.primaryId()).isNotEqualTo(before.primaryId());
            assertThat(commands.out()).doesNotContain(VALUE);
            for (String place : List.of(
                    "environment_variable.sealed_value",
                    "secret.sealed_value",
                    "device_code.sealed_token",
                    "idempotency.sealed_answer")) {
                String[] parts = place.split("\\.", -1);
                assertThat(sealedWith(parts[0], parts[1])).as(place).containsExactly(prefix(after));
            }
            readable(api, 40);
            assertThat(repeated.post("/v1/secrets", secret).text()).isEqualTo(made);
            assertThat(api.get("/v1/auth/device/poll?code=" + code)
                            .data()
                            .path("token")
                            .asText())
                    .startsWith("sp_live_");
            assertThat(Files.getPosixFilePermissions(keyFile)).hasSize(2);
        });
        whileItRuns(key, (server, api) -> readable(api, 40));
    }

    @Test
    @Tag("long")
    void oldKeysGoWhenAskedAndOpenNothingAnyMore() throws Exception {
        String key = commands.addUser(file, "a@example.com");
        Envelope first = keys();
        whileItRuns(key, (server, api) -> put(api, 3));
        assertThat(rotate()).as(commands.err()).isZero();
        int second = keys().primaryId();

        assertThat(rotate("--remove-old")).as(commands.err()).isZero();

        assertThat(commands.out()).contains("old keys removed").doesNotContain("new key");
        assertThat(keys().size()).isEqualTo(1);
        assertThat(keys().primaryId()).isEqualTo(second).isNotEqualTo(first.primaryId());
        whileItRuns(key, (server, api) -> readable(api, 3));
        assertThat(rotate("--remove-old")).as(commands.err()).isZero();
        assertThat(commands.out()).contains("new key: ", "old keys removed");
        whileItRuns(key, (server, api) -> readable(api, 3));
    }

    @Test
    void aRotationThatWasKilledIsFinishedByTheNextAndUntilThenAllIsReadable() throws Exception {
        String key = commands.addUser(file, "a@example.com");
        whileItRuns(key, (server, api) -> put(api, 40));
        // What is there after a kill between the new key and the last value: half of them is sealed anew.
        Envelope keys = keys();
        String rotated = keys.rotated();
        Files.writeString(keyFile, rotated);
        Envelope both = Envelope.of(rotated);
        try (Store store = Store.open(new StoreSettings("jdbc:sqlite:" + database, null, null), Clock.systemUTC())) {
            List<byte[]> sealed = new ArrayList<>();
            store.write(transaction -> {
                transaction
                        .sql()
                        .createQuery("select id, organization_id, sealed_value from environment_variable limit 20")
                        .map((row, context) -> {
                            byte[] plain = both.open(
                                    row.getBytes(3), row.getString(2), "environment_variable", row.getString(1));
                            sealed.add(plain);
                            return List.of(
                                    (Object) row.getString(1),
                                    both.seal(plain, row.getString(2), "environment_variable", row.getString(1)));
                        })
                        .list()
                        .forEach(row -> transaction
                                .sql()
                                .createUpdate("update environment_variable set sealed_value = :sealed where id = :id")
                                .bind("id", (String) row.get(0))
                                .bind("sealed", (byte[]) row.get(1))
                                .execute());
                return sealed.size();
            });
        }
        assertThat(sealedWith("environment_variable", "sealed_value")).hasSize(2);

        whileItRuns(key, (server, api) -> {
            readable(api, 40);
            assertThat(rotate()).as(commands.err()).isZero();
            assertThat(commands.out())
                    .contains("going on with a rotation that was not finished")
                    .doesNotContain("new key");
            readable(api, 40);
        });

        assertThat(keys().primaryId()).isEqualTo(both.primaryId());
        assertThat(sealedWith("environment_variable", "sealed_value")).containsExactly(prefix(both));
    }

    @Test
    void writersGoOnWhileItRotatesAndLoseNothing() throws Exception {
        String key = commands.addUser(file, "a@example.com");
        whileItRuns(key, (server, api) -> {
            put(api, 50);
            AtomicBoolean done = new AtomicBoolean();
            try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
                Future<Integer> writing = threads.submit(() -> {
                    int last = 0;
                    while (!done.get()) {
                        last++;
                        assertThat(api.put("/v1/env/BUSY", "{\"value\": \"" + last + "\"}")
                                        .status())
                                .isEqualTo(200);
                        assertThat(api.get("/v1/env/BUSY").json().path("value").asInt())
                                .isEqualTo(last);
                    }
                    return last;
                });
                for (int i = 0; i < 5; i++) {
                    assertThat(rotate()).as(commands.err()).isZero();
                }
                done.set(true);
                int last = writing.get();
                assertThat(api.get("/v1/env/BUSY").json().path("value").asInt()).isEqualTo(last);
            }
            readable(api, 50);
        });
    }

    @Test
    void aValueThatNoKeyOpensStaysAndIsCounted() throws Exception {
        String key = commands.addUser(file, "a@example.com");
        whileItRuns(key, (server, api) -> put(api, 2));
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database);
                Statement statement = connection.createStatement()) {
            statement.execute("update environment_variable set sealed_value = x'0100112233445566' where name = 'V0'");
        }

        assertThat(rotate()).as(commands.err()).isZero();

        assertThat(commands.out()).contains("1 values cannot be opened with any key");
        whileItRuns(
                key,
                (server, api) -> assertThat(
                                api.get("/v1/env/V1").json().path("value").asText())
                        .isEqualTo(VALUE + 1));
    }

    @Test
    void aKeyThatCannotBeReplacedIsRefusedAndNothingChanges() throws Exception {
        commands.addUser(file, "a@example.com");
        String before = Files.readString(keyFile);
        try (Store store = Store.open(new StoreSettings("jdbc:sqlite:" + database, null, null), Clock.systemUTC())) {
            KeyRotation rotation =
                    new KeyRotation(store, Envelope.of(before), new KeyInVariable("KEY", before), Duration.ZERO);

            assertThatThrownBy(() -> rotation.run(false))
                    .isInstanceOf(Refusal.class)
                    .hasMessage("a key in a variable cannot be replaced from here (expected: key_file, or kms_key_id)");
        }
        assertThat(Files.readString(keyFile)).isEqualTo(before);
        JsonNode keyset = Api.tree(before);
        assertThat(keyset.path("key")).hasSize(1);
    }

    @Test
    void aKeyThatIsGoneOrAnotherOneIsNotUsedAndNoneIsMadeInItsPlace() throws Exception {
        String key = commands.addUser(file, "a@example.com");
        whileItRuns(key, (server, api) -> {
            put(api, 3);
            Path kept = Files.move(keyFile, folder.resolve("kept.key"));

            assertThat(rotate()).isEqualTo(1);
            assertThat(commands.err()).contains("encryption.key cannot be used: ");
            assertThat(keyFile).doesNotExist();
            readable(api, 3);

            Files.writeString(keyFile, Envelope.newKey());
            assertThat(rotate()).isEqualTo(1);
            assertThat(commands.err()).contains("the key is not the one of this database");
            put(api, 3);
            readable(api, 3);

            Files.move(kept, keyFile, StandardCopyOption.REPLACE_EXISTING);
            assertThat(rotate()).as(commands.err()).isZero();
            readable(api, 3);
        });
    }

    @Test
    void aReplicaOpensWhatAnotherOneHasSealedWithItsNewKey() throws Exception {
        commands.addUser(file, "a@example.com");
        try (Store store = Store.open(new StoreSettings("jdbc:sqlite:" + database, null, null), Clock.systemUTC())) {
            EncryptionKey key = new KeyInFile(keyFile);
            Envelope one = Envelope.of(key.read(store));
            Envelope other = Envelope.of(key.read(store));
            KeyRotation ofOther = new KeyRotation(store, other, key, Duration.ZERO);
            other.onUnknownKey(ofOther::renew);

            new KeyRotation(store, one, key, Duration.ZERO).run(false);

            byte[] sealed = one.seal(new byte[] {1, 2, 3}, "o", "t", "r");
            assertThat(other.open(sealed, "o", "t", "r")).containsExactly(1, 2, 3);
            assertThat(other.primaryId()).isEqualTo(one.primaryId());
        }
    }

    @Test
    void valuesInTheDatabaseOfThisRunGetTheNewKeyToo() throws Exception {
        try (TestControl control = TestControl.with(TestControl.NO_LIMITS)) {
            Api api = control.newAccount();
            put(api, 20);
            Api repeated = api.withHeader("Idempotency-Key", "k");
            String secret = "{\"name\": \"s\", \"secret\": \"" + VALUE + "\", \"env_var\": \"S\"}";
            String made = repeated.post("/v1/secrets", secret).text();
            Path config = Files.writeString(
                    folder.resolve("admin.yaml"),
                    "control:\n  listen: \"127.0.0.1:1\"\n  state_dir: \"" + control.stateFolder() + "\"\n");
            commands.clear();

            assertThat(commands.run("", "rotate-key", "-config", config.toString()))
                    .as(commands.err())
                    .isZero();

            assertThat(commands.out()).contains("23 values encrypted anew"); // an answer and a request are kept, too
            readable(api, 20);
            assertThat(repeated.post("/v1/secrets", secret).text()).isEqualTo(made);
        }
    }
}
