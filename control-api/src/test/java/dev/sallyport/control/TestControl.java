package dev.sallyport.control;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import dev.sallyport.control.audit.EgressIngest;
import dev.sallyport.control.crypto.PasswordCost;
import dev.sallyport.control.proxy.Proxy;
import dev.sallyport.control.proxy.ProxyDraft;
import dev.sallyport.sandbox.FakeDriver;
import dev.sallyport.spi.ConfigException;
import io.opentelemetry.api.OpenTelemetry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/** A control plane with a mail server; one for all tests of a JVM, and others where a test needs its own. */
final class TestControl implements AutoCloseable {

    /** Limits that no test reaches. */
    static final String NO_LIMITS =
            "  rate_limits: {key_per_minute: 6000000, key_burst: 1000000, address_per_minute: 6000000, poll_per_second: 100000, poll_burst: 1000000, sign_ups_per_hour: 1000000}\n";

    /** Sandboxes without guests, at ports that are not given to clients. */
    static final String SANDBOXES = "  sandboxes: {driver: fake, ssh: {ports: 10000-32767}}\n";

    /** Half of the time of these tests went into hashing at the price of real passwords. */
    static final PasswordCost PASSWORDS = new PasswordCost(64, 1);

    private static final AtomicInteger ACCOUNTS = new AtomicInteger();

    private final Path folder;
    private final GreenMail mail = new GreenMail(new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP));
    private final TestClock clock = new TestClock();
    private final ControlPlane plane;
    private final Contract contract;
    private final String database;

    private TestControl(String database, String yaml, OpenTelemetry telemetry) {
        this.database = database;
        try {
            folder = Files.createTempDirectory("sallyport-control");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        mail.start();
        ControlConfig config = Sections.control(
                "control:\n  listen: \"127.0.0.1:0\"\n  mail: {smtp_host: 127.0.0.1, smtp_port: "
                        + mail.getSmtp().getPort() + ", from: gate@sallyport.test, starttls: false}\n" + database
                        + yaml,
                folder);
        plane = new ControlPlane(
                config, new Surroundings(Map.<String, String>of()::get, telemetry, clock, null, PASSWORDS));
        try {
            plane.prepare();
        } catch (ConfigException e) {
            throw new IllegalStateException(e);
        }
        contract = new Contract(
                new Api(address(), null, null).get("/v1/openapi.json").json());
    }

    /** One with more lines below {@code control}. */
    static TestControl with(String yaml) {
        return with(yaml, OpenTelemetry.noop());
    }

    /** As above, with meters. */
    static TestControl with(String yaml, OpenTelemetry telemetry) {
        return new TestControl(Database.yaml(), yaml, telemetry);
    }

    /** One of several on this database, with more lines below {@code control}. */
    static TestControl replica(String databaseUrl, String yaml) {
        return new TestControl("  database: {url: \"" + databaseUrl + "\"}\n", yaml, OpenTelemetry.noop());
    }

    private static final class Shared {
        private static final TestControl CONTROL = with(NO_LIMITS + SANDBOXES);

        static {
            Runtime.getRuntime().addShutdownHook(new Thread(CONTROL::close));
        }
    }

    /** That of this JVM. */
    static TestControl shared() {
        return Shared.CONTROL;
    }

    URI address() {
        return URI.create("http://127.0.0.1:" + plane.addresses().getFirst().getPort());
    }

    /** Where events of proxies come in. */
    EgressIngest events() {
        return Objects.requireNonNull(plane.server()).events();
    }

    /** What runs sandboxes here. */
    FakeDriver sandboxes() {
        return (FakeDriver) Objects.requireNonNull(plane.server()).driver();
    }

    Path folder() {
        return folder;
    }

    Path stateFolder() {
        return folder.resolve(".sallyport/control");
    }

    /** Changes the database behind its back. */
    void execute(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(databaseUrl());
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Adds rows like this one: each has an identifier of its own, and of these columns texts of its own. */
    void copyRow(String table, String id, int times, String... unique) throws SQLException {
        try (Connection connection = DriverManager.getConnection(databaseUrl());
                Statement statement = connection.createStatement()) {
            List<String> columns = new ArrayList<>();
            try (ResultSet none = statement.executeQuery("select * from " + table + " where 1 = 0")) {
                for (int i = 1; i <= none.getMetaData().getColumnCount(); i++) {
                    columns.add(none.getMetaData().getColumnName(i));
                }
            }
            List<String> values = columns.stream()
                    .map(column -> column.equals("id")
                            ? "substr(id, 1, length(id) - 10) || (1000000000 + i)"
                            : List.of(unique).contains(column) ? column + " || i" : column)
                    .toList();
            statement.execute("insert into " + table + " (" + String.join(", ", columns)
                    + ") with recursive n(i) as (select 1 union all select i + 1 from n where i < " + times
                    + ") select " + String.join(", ", values) + " from " + table + ", n where id = '" + id + "'");
        }
    }

    /** Lets it forget what it would forget after a long time. */
    void forgetSnapshots() {
        Objects.requireNonNull(plane.server()).snapshots().forget(Duration.ZERO);
    }

    private String databaseUrl() {
        return database.isEmpty()
                ? "jdbc:sqlite:" + stateFolder().resolve("control.db")
                : database.substring(database.indexOf('"') + 1, database.lastIndexOf('"'));
    }

    /** Keeps everybody from writing events until it is closed. */
    Connection lockEvents() throws SQLException {
        Connection connection = DriverManager.getConnection(databaseUrl());
        if (!database.isEmpty()) {
            connection.setAutoCommit(false);
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    database.isEmpty() ? "begin exclusive" : "lock table egress_arrival in access exclusive mode");
        }
        return connection;
    }

    /** The number that a query gives. */
    long number(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(databaseUrl());
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    /** As the operator does. */
    void resetPassword(String email, String password) {
        Objects.requireNonNull(plane.server()).users().resetPassword(email, password);
    }

    /** Makes a proxy that all accounts share; returns its token. */
    String addShared(String name, String... tags) {
        return Objects.requireNonNull(plane.server())
                .sharedProxies()
                .create(new ProxyDraft(name, List.of(tags)))
                .value()
                .token();
    }

    /** The proxies that all accounts share. */
    List<Proxy> sharedProxies() {
        return Objects.requireNonNull(plane.server()).sharedProxies().list();
    }

    void revokeShared(String name) {
        Objects.requireNonNull(plane.server()).sharedProxies().revoke(name);
    }

    GreenMail mail() {
        return mail;
    }

    TestClock clock() {
        return clock;
    }

    Contract contract() {
        return contract;
    }

    /** A client without a key. */
    Api anonymous() {
        return new Api(address(), null, contract);
    }

    /** An address that nobody has. */
    static String newEmail() {
        return "user" + ACCOUNTS.incrementAndGet() + "@example.com";
    }

    /** A client with the key of a new account. */
    Api newAccount() {
        return newAccount(newEmail());
    }

    Api newAccount(String email) {
        Api.Reply reply = anonymous()
                .post(
                        "/v1/users",
                        "{\"first_name\": \"Ada\", \"last_name\": \"L\", \"email\": \"" + email
                                + "\", \"password\": \"correct horse\"}");
        if (reply.status() != 201) {
            throw new IllegalStateException(reply.toString());
        }
        return anonymous().withKey(reply.json().at("/api_key/token").asText());
    }

    @Override
    public void close() {
        plane.close();
        mail.stop();
    }
}
