package dev.sallyport.control.store;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears of changes that any process has made in a PostgreSQL, on a connection of its own, from its first moment to
 * {@link #close}. A notification only wakes: those of a lost connection are lost, and whoever is woken reads the changes.
 * So it wakes, too, whenever it has connected.
 */
final class ChangeListener implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ChangeListener.class);

    private static final int QUIET_MILLIS = 20_000;
    private static final int ANSWER_SECONDS = 5;
    private static final Duration AGAIN = Duration.ofSeconds(1);

    private final StoreSettings settings;
    private final Runnable wake;
    private final Thread thread =
            Thread.ofPlatform().daemon().name("sallyport-control-listen").unstarted(this::run);

    private volatile @Nullable Connection connection;
    private volatile boolean closed;

    /** @param wake must be quick, and not throw */
    ChangeListener(StoreSettings settings, Runnable wake) {
        this.settings = settings;
        this.wake = wake;
    }

    void start() {
        thread.start();
    }

    private void run() {
        while (!closed) {
            try (Connection made = DriverManager.getConnection(settings.url(), properties())) {
                connection = made;
                listen(made);
            } catch (SQLException e) {
                if (!closed) {
                    LOG.warn("changes of other processes are seen late: {}", e.getSQLState());
                    pause();
                }
            } finally {
                connection = null;
            }
        }
    }

    private Properties properties() {
        Properties properties = new Properties();
        properties.setProperty("ApplicationName", "sallyport-control-listen");
        properties.setProperty("connectTimeout", String.valueOf(ANSWER_SECONDS));
        String user = settings.user();
        if (user != null) {
            properties.setProperty("user", user);
        }
        String password = settings.password();
        if (password != null) {
            properties.setProperty("password", password);
        }
        return properties;
    }

    private void listen(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("listen " + Dialect.CHANNEL);
        }
        PGConnection postgres = connection.unwrap(PGConnection.class);
        wake.run();
        while (!closed) {
            PGNotification[] heard = postgres.getNotifications(QUIET_MILLIS);
            if (heard != null && heard.length > 0) {
                wake.run();
            } else if (!connection.isValid(ANSWER_SECONDS)) {
                return;
            }
        }
    }

    private void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(AGAIN.toMillis());
        } catch (InterruptedException e) {
            LOG.debug("woken");
        }
    }

    /** Returns at once. */
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        Connection open = connection;
        if (open != null) {
            try {
                open.abort(Runnable::run);
            } catch (SQLException e) {
                LOG.debug("the connection that listens is closed: {}", e.getSQLState());
            }
        }
    }
}
