package dev.sallyport.control.store;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteErrorCode;

/** The file of a SQLite database. */
public final class SqliteFile {

    private static final Logger LOG = LoggerFactory.getLogger(SqliteFile.class);

    private SqliteFile() {}

    /** The file of a database; null when it is in memory, named by a URI that SQLite itself interprets, or PostgreSQL. */
    public static @Nullable Path of(String url) {
        if (!url.startsWith(StoreSettings.SQLITE)) {
            return null;
        }
        String name = url.substring(StoreSettings.SQLITE.length()).replaceAll("\\?.*", "");
        return name.isEmpty() || name.startsWith(":") || name.startsWith("file:") ? null : Path.of(name);
    }

    /** The URL of the database in a file. */
    public static String url(Path file) {
        return StoreSettings.SQLITE + file;
    }

    /**
     * Makes the file of a new database with mode 0600. SQLite would use the mask of the process; it gives its other
     * files the mode of this one.
     *
     * @throws StoreException when that fails
     */
    static void make(String url) throws StoreException {
        Path file = of(url);
        if (file == null) {
            return;
        }
        try {
            PrivateFiles.createEmpty(file);
        } catch (FileAlreadyExistsException e) {
            LOG.debug("the database {} exists", file);
        } catch (IOException e) {
            throw new StoreException(
                    "the database " + file + " cannot be made: " + e, "a file in a folder that this user may write");
        }
    }

    /**
     * Looks at all pages of a database that nobody has open, and writes its log into it.
     *
     * @throws StoreException unless it is a whole database of a control plane
     */
    public static void check(Path file) throws StoreException {
        try (Connection connection = DriverManager.getConnection(url(file));
                Statement statement = connection.createStatement()) {
            String found = text(statement, "pragma quick_check(1)");
            if (!"ok".equals(found)) {
                throw notWhole(file, found);
            }
            if (text(statement, "select name from sqlite_master where name = 'flyway_schema_history'")
                    .isEmpty()) {
                throw notWhole(file, "it has no schema");
            }
            statement.execute("pragma wal_checkpoint(truncate)");
        } catch (SQLException e) {
            throw notWhole(file, String.valueOf(e.getMessage()));
        }
    }

    /**
     * Writes the log of a database that nobody has open into it, whatever it holds. SQLite removes the log then.
     *
     * @throws StoreException when it is no database, or too damaged
     * @throws IOException when another process uses it
     */
    public static void writeLog(Path file) throws StoreException, IOException {
        if (Files.size(file) == 0) {
            throw notWhole(file, "it is empty");
        }
        try (Connection connection = DriverManager.getConnection(url(file));
                Statement statement = connection.createStatement()) {
            text(statement, "select name from sqlite_master limit 1"); // only then does it look for the log
            statement.execute("pragma wal_checkpoint(truncate)");
        } catch (SQLException e) {
            if (e.getErrorCode() == SQLiteErrorCode.SQLITE_BUSY.code) {
                throw new IOException("another process uses " + file, e);
            }
            throw notWhole(file, String.valueOf(e.getMessage()));
        }
    }

    private static String text(Statement statement, String query) throws SQLException {
        try (ResultSet rows = statement.executeQuery(query)) {
            return rows.next() ? rows.getString(1) : "";
        }
    }

    private static StoreException notWhole(Path file, String reason) {
        return new StoreException(
                file + " is no whole database of a control plane: " + reason, "one that sallyport control backup made");
    }
}
