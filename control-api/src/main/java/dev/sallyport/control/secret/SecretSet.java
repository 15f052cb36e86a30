package dev.sallyport.control.secret;

import dev.sallyport.control.store.Statements;
import dev.sallyport.control.store.Store;
import java.util.List;
import org.jdbi.v3.core.Handle;

/**
 * All secrets of an organization, for its proxies.
 *
 * @param secrets the older first
 * @param deleted names of secrets that are gone, the newest 1,000: their placeholders are known, and not replaced
 */
public record SecretSet(List<StoredSecret> secrets, List<String> deleted) {

    /** How many names of deleted secrets an organization keeps. */
    static final int MOST_DELETED = 1000;

    public SecretSet {
        secrets = List.copyOf(secrets);
        deleted = List.copyOf(deleted);
    }

    /** Those of an organization, with what else the same statements read; see {@link Store#readAtOneMoment}. */
    public static SecretSet of(Handle handle, String organization) {
        List<String> deleted = Statements.all(
                handle,
                "select name from (select name from deleted_secret where organization_id = ? order by deleted_at desc, name limit ?) newest order by name",
                row -> row.getString(1),
                organization,
                MOST_DELETED);
        return new SecretSet(SecretRows.all(handle, organization), deleted);
    }
}
