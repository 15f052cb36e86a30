package dev.sallyport.control;

import java.nio.file.Path;

/** The database of this run, for tests of other packages. */
public final class TestDatabase {

    private TestDatabase() {}

    /** Whether it is PostgreSQL. */
    public static boolean isPostgres() {
        return Database.isPostgres();
    }

    /** The URL of a new one. */
    public static String url(Path folder) {
        return Database.isPostgres() ? Database.newPostgres() : "jdbc:sqlite:" + folder.resolve("t.db");
    }

    /** The URL of a new one on PostgreSQL, whatever the run. */
    public static String postgres() {
        return Database.newPostgres();
    }
}
