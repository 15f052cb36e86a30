package dev.sallyport.control.store;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Clock;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.ColonPrefixSqlParser;
import org.jdbi.v3.core.statement.SqlParser;
import org.jdbi.v3.core.statement.SqlStatements;
import org.jdbi.v3.core.statement.StatementExceptions;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConnection;

/** How the database is connected to. */
final class Connections {

    /** How long somebody waits for a connection. */
    static final long WAIT_MILLIS = 5000;

    private static final int READERS = 4;
    private static final int CONNECTIONS = 12;
    private static final int BUSY_MILLIS = 5000;

    /** One for all, because it keeps what it has parsed, which is dear. */
    private static final SqlParser PARSER = new ColonPrefixSqlParser();

    private Connections() {}

    /** For reading, and on PostgreSQL for all. */
    static HikariDataSource pool(StoreSettings settings) throws StoreException {
        if (settings.dialect() == Dialect.SQLITE) {
            SqliteFile.make(settings.url());
        }
        HikariConfig config = new HikariConfig();
        config.setPoolName("sallyport-control");
        config.setJdbcUrl(settings.url());
        config.setConnectionTimeout(WAIT_MILLIS);
        if (settings.dialect() == Dialect.SQLITE) {
            config.setMaximumPoolSize(READERS);
            config.setMaxLifetime(0); // what they have prepared stays
            sqlite().forEach((name, value) -> config.addDataSourceProperty((String) name, value));
        } else {
            config.setMaximumPoolSize(CONNECTIONS);
            config.setMinimumIdle(1);
            config.addDataSourceProperty("logServerErrorDetail", "false"); // it quotes rows
            config.setUsername(settings.user());
            config.setPassword(settings.password());
        }
        try {
            return new HikariDataSource(config);
        } catch (HikariPool.PoolInitializationException e) {
            throw new StoreException(
                    "the database cannot be reached: " + StoreException.oneLine(StoreException.root(e)),
                    "a running database that accepts this user");
        }
    }

    /** Statements on them. */
    static Jdbi jdbi(HikariDataSource pool, Dialect dialect) {
        Jdbi jdbi = withoutArguments(Jdbi.create(pool));
        if (dialect == Dialect.SQLITE) {
            Map<Connection, KeptStatements> statements = new ConcurrentHashMap<>();
            jdbi.setStatementBuilderFactory(
                    connection -> statements.computeIfAbsent(unwrapped(connection), KeptStatements::new));
        }
        return jdbi;
    }

    /** Takes all connections of a pool to SQLite; null for PostgreSQL, where a connection may have to be replaced. */
    static @Nullable SqliteReaders readers(Jdbi jdbi, Dialect dialect) {
        return dialect == Dialect.SQLITE ? new SqliteReaders(jdbi, READERS) : null;
    }

    static Writer writer(StoreSettings settings, Jdbi jdbi, Clock clock, StoreMeters meters) throws SQLException {
        if (settings.dialect() == Dialect.POSTGRESQL) {
            return new PostgresWriter(jdbi, clock, meters);
        }
        Connection connection = DriverManager.getConnection(settings.url(), sqlite());
        try {
            return new SqliteWriter(connection, clock, meters);
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    /** Arguments are hashes of passwords and tokens: no message of an exception may hold them. */
    static Jdbi withoutArguments(Jdbi jdbi) {
        jdbi.getConfig(SqlStatements.class).setSqlParser(PARSER);
        jdbi.getConfig(StatementExceptions.class).setMessageRendering(StatementExceptions.MessageRendering.NONE);
        return jdbi;
    }

    private static Properties sqlite() {
        Properties pragmas = new Properties();
        pragmas.setProperty("journal_mode", "WAL");
        pragmas.setProperty("synchronous", "FULL");
        pragmas.setProperty("foreign_keys", "true");
        pragmas.setProperty("busy_timeout", String.valueOf(BUSY_MILLIS));
        pragmas.setProperty("transaction_mode", "IMMEDIATE");
        pragmas.setProperty("jdbc.get_generated_keys", "false"); // a query after each insert
        return pragmas;
    }

    private static Connection unwrapped(Connection connection) {
        try {
            return connection.unwrap(SQLiteConnection.class);
        } catch (SQLException e) {
            throw new IllegalStateException("not a connection to SQLite: " + connection, e);
        }
    }
}
