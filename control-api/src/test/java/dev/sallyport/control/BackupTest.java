package dev.sallyport.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code sallyport control backup} and {@code restore}, of SQLite. */
class BackupTest {

    private static final String POLICIES = "/v1/policies/network";

    @TempDir
    Path folder;

    private Commands commands;
    private String file;
    private Path database;
    private Path backup;

    @BeforeEach
    void prepare() throws IOException {
        commands = new Commands(folder);
        file = commands.file("");
        database = folder.resolve(".sallyport/control/control.db");
        backup = folder.resolve("backup.db");
    }

    /** Runs a control plane while something is done. */
    private void whileItRuns(Work work) throws Exception {
        Commands server = new Commands(folder);
        String configuration = server.file("");
        try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
            Future<Integer> running = threads.submit(() -> server.run("", "-config", configuration));
            server.serving.await();
            try {
                work.with(server);
            } finally {
                server.stop.countDown();
            }
            assertThat(running.get()).as(server.err()).isZero();
        }
    }

    private interface Work {
        void with(Commands server) throws Exception;
    }

    private static String query(Path database, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }

    /** What restores leave, but for what they replaced. */
    private void nothingIsLeftOfARestore() throws IOException {
        try (Stream<Path> files = Files.list(database.getParent())) {
            assertThat(files.map(file -> file.getFileName().toString()).filter(name -> name.contains("restoring")))
                    .isEmpty();
        }
    }

    private int restore() {
        return commands.run("", "restore", "-config", file, "--from", backup.toString());
    }

    @Test
    void aBackupIsOfOneMomentWhileChangesGoOn() throws Exception {
        String key = commands.addUser(file, "a@example.com");
        whileItRuns(server -> {
            Api api = new Api(server.address(), key, null);
            try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
                Future<?> changes = threads.submit(() -> {
                    for (int i = 0; i < 200; i++) {
                        api.post(POLICIES, "{\"name\": \"n" + i + "\", \"priority\": 1}");
                    }
                });
                assertThat(commands.run("", "backup", "-config", file, "--to", backup.toString()))
                        .as(commands.err())
                        .isZero();
                changes.get();
            }
            assertThat(api.get(POLICIES).data()).hasSize(200);
        });

        assertThat(commands.out()).contains("backup: " + backup, "encryption key");
        assertThat(Files.getPosixFilePermissions(backup)).hasSize(2);
        assertThat(query(backup, "pragma integrity_check")).isEqualTo("ok");
        assertThat(query(backup, "select count(*) from change where kind = 'network_policy'"))
                .isEqualTo(query(backup, "select count(*) from policy"));
        assertThat(query(backup, "select max(position) from change"))
                .isEqualTo(query(backup, "select value from change_counter"));
    }

    @Test
    void aRestoreBringsBackWhatWasThereAndBeginsANewEpoch() throws Exception {
        String early = commands.addUser(file, "early@example.com");
        assertThat(commands.run("", "backup", "-config", file, "--to", backup.toString()))
                .isZero();
        String epoch = query(database, "select value from meta where name = 'epoch'");
        String late = commands.addUser(file, "late@example.com");

        assertThat(restore()).as(commands.err()).isZero();

        whileItRuns(server -> {
            assertThat(new Api(server.address(), early, null).get("/v1/me").status())
                    .isEqualTo(200);
            assertThat(new Api(server.address(), late, null).get("/v1/me").status())
                    .isEqualTo(401);
        });
        assertThat(query(database, "select value from meta where name = 'epoch'"))
                .hasSize(26)
                .isNotEqualTo(epoch);
        assertThat(query(folder.resolve(".sallyport/control/control.db.replaced"), "select count(*) from users"))
                .isEqualTo("2");
        assertThat(Files.getPosixFilePermissions(database)).hasSize(2);
        nothingIsLeftOfARestore();
    }

    @ParameterizedTest
    @ValueSource(strings = {"nonsense, and more than the head of a database. ", ""})
    void aDatabaseThatIsDamagedIsReplacedAndKeptWithItsLog(String damage) throws Exception {
        String key = commands.addUser(file, "a@example.com");
        commands.run("", "backup", "-config", file, "--to", backup.toString());
        Files.writeString(database, damage.repeat(100));
        Files.writeString(folder.resolve(".sallyport/control/control.db-wal"), "a log");
        Files.writeString(folder.resolve(".sallyport/control/control.db-shm"), "its index");

        assertThat(restore()).as(commands.err()).isZero();

        assertThat(folder.resolve(".sallyport/control/control.db.replaced")).hasContent(damage.repeat(100));
        assertThat(folder.resolve(".sallyport/control/control.db.replaced-wal")).hasContent("a log");
        assertThat(folder.resolve(".sallyport/control/control.db-shm")).doesNotExist();
        nothingIsLeftOfARestore();
        whileItRuns(server -> assertThat(
                        new Api(server.address(), key, null).get("/v1/me").status())
                .isEqualTo(200));
        assertThat(restore()).as(commands.err()).isZero();
        assertThat(folder.resolve(".sallyport/control/control.db.replaced-wal")).doesNotExist();
        assertThat(query(folder.resolve(".sallyport/control/control.db.replaced"), "select count(*) from users"))
                .isEqualTo("1");
    }

    @Test
    void aDatabaseOfSomethingElseIsReplaced() throws Exception {
        String key = commands.addUser(file, "a@example.com");
        commands.run("", "backup", "-config", file, "--to", backup.toString());
        Files.delete(database);
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database);
                Statement statement = connection.createStatement()) {
            statement.execute("create table mine (id integer)");
        }

        assertThat(restore()).as(commands.err()).isZero();

        assertThat(query(folder.resolve(".sallyport/control/control.db.replaced"), "select count(*) from mine"))
                .isEqualTo("0");
        whileItRuns(server -> assertThat(
                        new Api(server.address(), key, null).get("/v1/me").status())
                .isEqualTo(200));
    }

    @Test
    void theLogOfADatabaseThatIsNotThereIsNotTakenForThatOfTheBackup() throws Exception {
        String key = commands.addUser(file, "a@example.com");
        commands.run("", "backup", "-config", file, "--to", backup.toString());
        Path log = folder.resolve(".sallyport/control/control.db-wal");
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database);
                Statement statement = connection.createStatement()) {
            statement.execute("delete from api_key");
            Files.copy(log, folder.resolve("log"));
        }
        Files.delete(database);
        Files.move(folder.resolve("log"), log);

        assertThat(restore()).as(commands.err()).isZero();

        assertThat(folder.resolve(".sallyport/control/control.db.replaced-wal")).isNotEmptyFile();
        whileItRuns(server -> assertThat(
                        new Api(server.address(), key, null).get("/v1/me").status())
                .isEqualTo(200));
    }

    @Test
    @Tag("long")
    void aDatabaseThatAnotherProgramUsesIsNotReplaced() throws Exception {
        commands.addUser(file, "a@example.com");
        commands.run("", "backup", "-config", file, "--to", backup.toString());
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + database);
                Statement statement = connection.createStatement()) {
            statement.execute("begin immediate");

            assertThat(restore()).isEqualTo(1);
        }

        assertThat(commands.err()).contains("another process uses ");
        nothingIsLeftOfARestore();
        assertThat(query(database, "select count(*) from users")).isEqualTo("1");
    }

    /** Root restores what belongs to the user of the control plane, which has to be able to open it afterwards. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRestoredDatabaseBelongsToWhomItBelonged(boolean there) throws Exception {
        boolean root = "root".equals(System.getProperty("user.name"));
        commands.addUser(file, "a@example.com");
        assertThat(commands.run("", "backup", "-config", file, "--to", backup.toString()))
                .isZero();
        Files.setPosixFilePermissions(database, PosixFilePermissions.fromString("rw-r-----"));
        for (Path one : root ? List.of(database, database.getParent()) : List.<Path>of()) {
            Files.setAttribute(one, "unix:uid", 65534);
            Files.setAttribute(one, "unix:gid", 65534);
        }
        if (!there) {
            Files.delete(database);
        }

        assertThat(restore()).as(commands.err()).isZero();

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(database)))
                .isEqualTo(there ? "rw-r-----" : "rw-------");
        if (root) {
            assertThat(Files.getAttribute(database, "unix:uid")).isEqualTo(65534);
            assertThat(Files.getAttribute(database, "unix:gid")).isEqualTo(65534);
        }
    }

    @Test
    void theEpochIsTheSameAfterANewStart() throws Exception {
        commands.addUser(file, "a@example.com");
        String epoch = query(database, "select value from meta where name = 'epoch'");

        commands.addUser(file, "b@example.com");

        assertThat(query(database, "select value from meta where name = 'epoch'"))
                .isEqualTo(epoch);
    }

    @Test
    void aControlPlaneThatRunsIsNotRestored() throws Exception {
        commands.addUser(file, "a@example.com");
        assertThat(commands.run("", "backup", "-config", file, "--to", backup.toString()))
                .isZero();

        whileItRuns(server -> assertThat(restore()).isEqualTo(1));

        assertThat(commands.err()).contains("another control plane uses this folder");
    }

    @Test
    void aBackupReplacesNoFile() throws Exception {
        commands.addUser(file, "a@example.com");
        Files.writeString(backup, "mine");

        assertThat(commands.run("", "backup", "-config", file, "--to", backup.toString()))
                .isEqualTo(1);

        assertThat(commands.err()).contains("no backup can be made", "a file that is not there");
        assertThat(backup).hasContent("mine");
    }

    @Test
    void whatIsNoBackupLeavesTheDatabaseAsItWas() throws Exception {
        String key = commands.addUser(file, "a@example.com");
        Files.writeString(backup, "nonsense, and more than the head of a database. ".repeat(100));
        assertThat(restore()).isEqualTo(1);
        Files.writeString(backup, "");
        assertThat(restore()).isEqualTo(1);
        Files.delete(backup);
        assertThat(restore()).isEqualTo(1);

        assertThat(commands.err().lines())
                .hasSize(3)
                .allMatch(line -> line.contains("/control/database: cannot be restored: "));
        nothingIsLeftOfARestore();
        whileItRuns(server -> assertThat(
                        new Api(server.address(), key, null).get("/v1/me").status())
                .isEqualTo(200));
    }

    @Test
    void aBackupOfANewerVersionOrWithAnotherKeyIsRefusedInASentence() throws Exception {
        commands.addUser(file, "a@example.com");
        commands.run("", "backup", "-config", file, "--to", backup.toString());
        Path key = folder.resolve(".sallyport/control/encryption.key");
        Path kept = Files.move(key, folder.resolve("kept.key"));
        assertThat(restore()).isEqualTo(1);
        assertThat(commands.err()).contains("there is no key");
        KeyFile.readOrMake(key);
        assertThat(restore()).isEqualTo(1);
        assertThat(commands.err()).contains("/control/encryption: the key is not the one of this database");
        nothingIsLeftOfARestore();
        Files.delete(key);
        Files.move(kept, key);
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + backup);
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "insert into flyway_schema_history (installed_rank, version, description, type, script, checksum, installed_by, execution_time, success) values (99, '9999', 'later', 'SQL', 'V9999__later.sql', 1, 'x', 1, true)");
        }

        assertThat(restore()).isEqualTo(1);

        assertThat(commands.err()).contains("made by a newer Sallyport");
        nothingIsLeftOfARestore();
        assertThat(query(database, "select count(*) from users")).isEqualTo("1");
    }
}
