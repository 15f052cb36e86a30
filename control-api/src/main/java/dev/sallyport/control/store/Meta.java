package dev.sallyport.control.store;

import org.jdbi.v3.core.Handle;

/** What is known of the database itself: texts by name. */
final class Meta {

    private Meta() {}

    /** Keeps a text, unless there is one of this name. */
    static void ensure(Store store, String name, String value) {
        store.write(transaction -> transaction
                .sql()
                .createUpdate("insert into meta (name, value) values (:name, :value) on conflict do nothing")
                .bind("name", name)
                .bind("value", value)
                .execute());
    }

    /** Keeps another text in the place of one that is there. */
    static void replace(Store store, String name, String value) {
        store.write(transaction -> transaction
                .sql()
                .createUpdate("update meta set value = :value where name = :name")
                .bind("name", name)
                .bind("value", value)
                .execute());
    }

    /** A text that is there. */
    static String read(Handle handle, String name) {
        return handle.createQuery("select value from meta where name = :name")
                .bind("name", name)
                .mapTo(String.class)
                .one();
    }
}
