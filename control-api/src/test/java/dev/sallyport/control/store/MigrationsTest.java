package dev.sallyport.control.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.control.TestDatabase;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationVersion;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Databases of earlier versions, with data in them. */
class MigrationsTest {

    private static final List<String> ROWS = List.of(
            "insert into organization (id, name, created_at) values ('org_1', 'Ada', 1)",
            "insert into users (id, organization_id, first_name, last_name, email, email_key, email_verified, password_hash, created_at) values ('usr_1', 'org_1', 'Ada', 'L', 'a@b', 'a@b', false, 'h', 1)",
            "insert into api_key (id, organization_id, user_id, name, prefix, token_hash, created_at) values ('key_1', 'org_1', 'usr_1', 'k', 'sp', 'h', 1)",
            "insert into session (token_hash, user_id, csrf, expires_at) values ('h', 'usr_1', 'c', 1)",
            "insert into policy (id, organization_id, kind, name, active, priority, content, version, created_at, updated_at) values ('npol_1', 'org_1', 'network_policy', 'n', true, 1, '{}', 1, 1, 1)",
            "insert into admin_audit (id, organization_id, happened_at, action, resource, resource_id) values ('aud_1', 'org_1', 1, 'create', 'user', 'usr_1')",
            "insert into idempotency (scope, idempotency_key, request_hash, created_at, sealed_answer) values ('s', 'k', 'h', 1, 'abc')",
            "update change_counter set value = 7");

    private static final List<String> TABLES =
            List.of("organization", "users", "api_key", "session", "policy", "admin_audit", "idempotency");

    @TempDir
    Path folder;

    private static Flyway flyway(String url, MigrationVersion target) {
        return Flyway.configure(MigrationsTest.class.getClassLoader())
                .dataSource(url, null, null)
                .locations(Migrations.locations(new StoreSettings(url, null, null).dialect()))
                .target(target)
                .load();
    }

    private List<MigrationVersion> versions() throws Exception {
        String url = TestDatabase.url(Files.createDirectory(folder.resolve("none")));
        return Arrays.stream(flyway(url, MigrationVersion.LATEST).info().all())
                .map(migration -> migration.getVersion())
                .toList();
    }

    @Tag("long")
    @Test
    void aDatabaseOfEachEarlierVersionKeepsItsData() throws Exception {
        List<MigrationVersion> versions = versions();
        assertThat(versions).hasSizeGreaterThan(1);
        for (MigrationVersion version : versions) {
            String url = TestDatabase.url(Files.createDirectory(folder.resolve("v" + version)));
            flyway(url, version).migrate();
            try (Connection connection = DriverManager.getConnection(url);
                    Statement statement = connection.createStatement()) {
                for (String row : ROWS) {
                    statement.execute(row);
                }
            }

            try (Store store = Store.open(new StoreSettings(url, null, null), Clock.systemUTC())) {
                for (String table : TABLES) {
                    assertThat(count(store, table)).as(table + " of " + version).isEqualTo(1);
                }
                String mode = store.read(handle -> handle.createQuery("select egress_mode from organization")
                        .mapTo(String.class)
                        .one());
                assertThat(mode).as("of " + version).isEqualTo("enforce");
                if (version.compareTo(MigrationVersion.fromVersion("3")) < 0) {
                    long bytes = store.read(handle -> handle.createQuery("select answer_bytes from idempotency")
                            .mapTo(Long.class)
                            .one());
                    assertThat(bytes).as("of " + version).isEqualTo(3);
                }
                assertThat(store.write(transaction -> {
                                    transaction.changed("org_1", "meta", "x");
                                    return 1;
                                })
                                .position())
                        .isEqualTo(8);
            }
        }
    }

    /** An event of before, with its place in the list and in the order of arrival; it is kept once, and new ones join it. */
    @Tag("long")
    @Test
    void eventsOfEachEarlierVersionStayInTheirOrder() throws Exception {
        MigrationVersion first = MigrationVersion.fromVersion("5");
        for (MigrationVersion version : versions()) {
            if (version.compareTo(first) < 0) {
                continue;
            }
            String url = TestDatabase.url(Files.createDirectory(folder.resolve("events" + version)));
            flyway(url, version).migrate();
            try (Connection connection = DriverManager.getConnection(url);
                    Statement statement = connection.createStatement();
                    PreparedStatement event = connection.prepareStatement(
                            "insert into egress_event (id, organization_id, arrival, class, host, replacements, facet_class, facet_host) values (?, 'org_1', ?, 0, ?, '[]', 1, 2)")) {
                connection.setAutoCommit(false);
                statement.execute("update egress_arrival set value = 300");
                for (int i = 0; i < 300; i++) {
                    event.setBytes(
                            1, ByteBuffer.allocate(16).putLong((long) i << 32).array());
                    event.setLong(2, 300 - i);
                    event.setString(3, "h" + i);
                    event.addBatch();
                }
                event.executeBatch();
                connection.commit();
            }

            try (Store store = Store.open(new StoreSettings(url, null, null), Clock.systemUTC())) {
                assertThat(hosts(store, "id")).as("of " + version).hasSize(300).startsWith("h0", "h1", "h2");
                assertThat(hosts(store, "arrival")).as("of " + version).startsWith("h299", "h298");
                String again =
                        "insert into egress_event (id, organization_id, arrival, class, host, replacements, facet_class, facet_host) select id, organization_id, 301, class, host, replacements, facet_class, facet_host from egress_event where host = 'h7' on conflict do nothing";
                assertThat(store.write(transaction -> transaction.sql().execute(again))
                                .value())
                        .as("of " + version)
                        .isZero();
            }
        }
    }

    @Test
    void whatIsThereCountsForTheQuotas() throws Exception {
        String url = TestDatabase.url(Files.createDirectory(folder.resolve("quotas")));
        flyway(url, MigrationVersion.fromVersion("23")).migrate();
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                PreparedStatement rule = connection.prepareStatement(
                        "insert into egress_rule (id, organization_id, host, host_key, bytes, created_at) values (?, ?, 'a', ?, ?, 0)")) {
            statement.execute(
                    "insert into organization (id, name, created_at) values ('org_a', 'Ada', 1), ('org_b', 'B', 1)");
            for (int i = 0; i < 5; i++) {
                rule.setString(1, "egr_" + i);
                rule.setString(2, i < 3 ? "org_a" : "org_b");
                rule.setBytes(3, new byte[] {'a'});
                rule.setLong(4, 10 + i);
                rule.executeUpdate();
            }
        }

        try (Store store = Store.open(new StoreSettings(url, null, null), Clock.systemUTC())) {
            List<String> kept = store.read(handle -> handle.createQuery(
                            "select organization_id, table_name, row_count, bytes from kept_rows order by organization_id")
                    .map((row, context) ->
                            row.getString(1) + " " + row.getString(2) + " " + row.getLong(3) + " " + row.getLong(4))
                    .list());
            assertThat(kept).containsExactly("org_a egress_rule 3 33", "org_b egress_rule 2 27");
        }
    }

    private static List<String> hosts(Store store, String order) {
        return store.read(handle -> handle.createQuery("select host from egress_event order by " + order)
                .mapTo(String.class)
                .list());
    }

    @Test
    void ofAccountsOfAnEarlierVersionTheOldestIsTheFirst() throws Exception {
        String url = TestDatabase.url(Files.createDirectory(folder.resolve("accounts")));
        flyway(url, MigrationVersion.fromVersion("12")).migrate();
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "insert into organization (id, name, created_at) values ('org_c', 'c', 3), ('org_b', 'b', 2), ('org_d', 'd', 2)");
        }

        try (Store store = Store.open(new StoreSettings(url, null, null), Clock.systemUTC())) {
            List<String> first = store.read(handle -> handle.createQuery("select organization_id from first_account")
                    .mapTo(String.class)
                    .list());
            assertThat(first).containsExactly("org_b");
        }
    }

    @Test
    void vmsOfAnEarlierVersionStayAndHaveNoSizeYet() throws Exception {
        String url = TestDatabase.url(Files.createDirectory(folder.resolve("vms")));
        flyway(url, MigrationVersion.fromVersion("25")).migrate();
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute("insert into organization (id, name, created_at) values ('org_1', 'Ada', 1)");
            statement.execute(
                    "insert into vm (id, organization_id, name, name_key, public_key, image, status, status_detail, wanted, must_stop, made, booted, version, address, ssh_port, host_keys, created_at, updated_at) values ('vm_1', 'org_1', 'n', '', 'k', 'i', 'running', 'ready', 'RUNNING', false, true, true, 1, 1, 1, '[]', 1, 1)");
        }

        try (Store store = Store.open(new StoreSettings(url, null, null), Clock.systemUTC())) {
            List<String> unknown = store.read(handle -> handle.createQuery(
                            "select id from vm where coalesce(memory_bytes, cpu_millis, processes, disk_bytes) is null")
                    .mapTo(String.class)
                    .list());
            assertThat(unknown).containsExactly("vm_1");
        }
    }

    @Test
    void partsOfALogOfAnEarlierVersionGetTheirPlaces() throws Exception {
        String url = TestDatabase.url(Files.createDirectory(folder.resolve("logs")));
        flyway(url, MigrationVersion.fromVersion("18")).migrate();
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute("insert into organization (id, name, created_at) values ('org_1', 'Ada', 1)");
            for (String agent : List.of("a", "b")) {
                statement.execute(
                        "insert into agent (id, organization_id, name, repo, harness, prompt, status, vm_id, stage, started, log_offset, version, created_at, updated_at) values ('"
                                + agent + "', 'org_1', '" + agent
                                + "', 'r', 'h', 'p', 's', 'v', 'DONE', true, 0, 1, 1, 1)");
                // The oldest part has been let go of.
                statement.execute("insert into agent_log (agent_id, seq, logged_at, bytes, text) values ('" + agent
                        + "', 2, 1, 2, 'ab'), ('" + agent + "', 3, 1, 3, 'cde'), ('" + agent + "', 4, 1, 1, 'f')");
            }
        }

        try (Store store = Store.open(new StoreSettings(url, null, null), Clock.systemUTC())) {
            List<Long> starts = store.read(
                    handle -> handle.createQuery("select starts from agent_log where agent_id = 'b' order by seq")
                            .mapTo(Long.class)
                            .list());
            assertThat(starts).containsExactly(0L, 2L, 5L);
        }
    }

    private static long count(Store store, String table) {
        return store.read(handle -> handle.createQuery("select count(*) from " + table)
                .mapTo(Long.class)
                .one());
    }
}
