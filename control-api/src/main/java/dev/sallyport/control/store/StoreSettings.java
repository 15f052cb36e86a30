package dev.sallyport.control.store;

import org.jspecify.annotations.Nullable;

/**
 * Which database.
 *
 * @param url of JDBC, for SQLite or PostgreSQL
 * @param user null for none
 * @param password null for none
 */
public record StoreSettings(
        String url, @Nullable String user, @Nullable String password) {

    /** Of SQLite. */
    static final String SQLITE = "jdbc:sqlite:";

    /** Of PostgreSQL. */
    static final String POSTGRESQL = "jdbc:postgresql:";

    /** Whether the URL names a database that can be used. */
    public static boolean isKnown(String url) {
        return (url.startsWith(SQLITE) && url.length() > SQLITE.length())
                || (url.startsWith(POSTGRESQL) && url.length() > POSTGRESQL.length());
    }

    Dialect dialect() {
        return url.startsWith(SQLITE) ? Dialect.SQLITE : Dialect.POSTGRESQL;
    }

    /** Without the password, which a URL may hold, too. */
    @Override
    public String toString() {
        return "StoreSettings[" + dialect() + "]";
    }
}
