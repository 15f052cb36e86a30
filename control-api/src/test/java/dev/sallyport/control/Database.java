package dev.sallyport.control;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The database of this run of the tests: SQLite, or PostgreSQL with {@code -Dsallyport.control.database=postgresql}. */
final class Database {

    private static final AtomicInteger COUNT = new AtomicInteger();
    private static @Nullable EmbeddedPostgres postgres;

    private Database() {}

    static boolean isPostgres() {
        return "postgresql".equals(System.getProperty("sallyport.control.database"));
    }

    /** The line of the configuration for a new database; empty for SQLite in the state folder. */
    static String yaml() {
        return isPostgres() ? "  database: {url: \"" + newPostgres() + "\"}\n" : "";
    }

    /** The URL of a new database on a PostgreSQL that ends with this JVM. */
    static synchronized String newPostgres() {
        try {
            if (postgres == null) {
                postgres = EmbeddedPostgres.builder().start();
                EmbeddedPostgres started = postgres;
                Runtime.getRuntime().addShutdownHook(new Thread(() -> close(started)));
            }
            String name = "t" + COUNT.incrementAndGet();
            try (Connection connection = postgres.getPostgresDatabase().getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("create database " + name);
            }
            return postgres.getJdbcUrl("postgres", name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void close(EmbeddedPostgres postgres) {
        try {
            postgres.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
