package dev.sallyport.control.store;

import java.sql.SQLException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Objects;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationVersion;

/** Brings the schema up to date. */
final class Migrations {

    private static final String FOLDER = "classpath:dev/sallyport/control/store/";

    private Migrations() {}

    /** Where they are: most are the same for both databases; the versions of the others are there for each. */
    static String[] locations(Dialect dialect) {
        return new String[] {FOLDER + "migration", FOLDER + dialect.folder()};
    }

    static void run(DataSource database, Dialect dialect) throws StoreException {
        Flyway flyway = Flyway.configure(Migrations.class.getClassLoader())
                .dataSource(database)
                .locations(locations(dialect))
                .load();
        try {
            refuseNewer(flyway.info().all());
            flyway.migrate();
        } catch (FlywayException e) {
            if (StoreException.root(e) instanceof SQLException fault && dialect.isDiskFull(fault)) {
                throw new StoreException("the database cannot be written: its disk is full", "room for it");
            }
            throw new StoreException(
                    "the schema of the database cannot be brought up to date: "
                            + String.valueOf(e.getMessage()).lines().findFirst().orElse(""),
                    "a database of Sallyport alone");
        }
    }

    private static void refuseNewer(MigrationInfo[] migrations) throws StoreException {
        MigrationVersion newest = newest(migrations, true);
        MigrationVersion known = newest(migrations, false);
        if (newest.compareTo(known) > 0) {
            throw new StoreException(
                    "the database has schema version " + newest + ", made by a newer Sallyport",
                    "that Sallyport, or a database with at most version " + known);
        }
    }

    /** The newest version that the database, or that this program has. */
    private static MigrationVersion newest(MigrationInfo[] migrations, boolean applied) {
        return Arrays.stream(migrations)
                .filter(migration -> applied
                        ? migration.getState().isApplied()
                        : migration.getState().isResolved())
                .map(MigrationInfo::getVersion)
                .filter(Objects::nonNull)
                .max(Comparator.naturalOrder())
                .orElse(MigrationVersion.EMPTY);
    }
}
