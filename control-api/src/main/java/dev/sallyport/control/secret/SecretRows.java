package dev.sallyport.control.secret;

import dev.sallyport.control.model.Json;
import dev.sallyport.control.store.Statements;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** Secrets as rows. */
final class SecretRows {

    private SecretRows() {}

    static Secret secret(ResultSet row) throws SQLException {
        String name = row.getString("name");
        return new Secret(
                row.getString("id"),
                name,
                row.getString("env_var"),
                Arrays.asList(Json.read(row.getString("hosts"), String[].class)),
                Secret.placeholder(name),
                row.getString("comment"),
                row.getBoolean("allow_plaintext"),
                Instant.ofEpochMilli(row.getLong("created_at")),
                Instant.ofEpochMilli(row.getLong("updated_at")));
    }

    static StoredSecret stored(ResultSet row) throws SQLException {
        return new StoredSecret(secret(row), row.getLong("value_version"), row.getBytes("sealed_value"));
    }

    /** How long a row is, of which the value and the hosts are the most. */
    static long bytes(StoredSecret stored) {
        return stored.sealed().length + (long) Json.bytes(stored.secret()).length;
    }

    static void insert(Handle sql, String organization, StoredSecret stored) {
        Secret secret = stored.secret();
        sql.createUpdate(
                        "insert into secret (id, organization_id, name, name_key, env_var, hosts, comment, allow_plaintext, sealed_value, value_version, bytes, created_at, updated_at) values (:id, :organization, :name, :key, :variable, :hosts, :comment, :plaintext, :sealed, :version, :bytes, :created, :updated)")
                .bind("id", secret.id())
                .bind("organization", organization)
                .bind("name", secret.name())
                .bind("key", secret.name().getBytes(StandardCharsets.UTF_8))
                .bind("variable", secret.envVar())
                .bind("hosts", Json.text(secret.hosts()))
                .bind("comment", secret.comment())
                .bind("plaintext", secret.allowPlaintext())
                .bind("sealed", stored.sealed())
                .bind("version", stored.version())
                .bind("bytes", bytes(stored))
                .bind("created", secret.createdAt().toEpochMilli())
                .bind("updated", secret.updatedAt().toEpochMilli())
                .execute();
    }

    static void update(Handle sql, StoredSecret stored) {
        Secret secret = stored.secret();
        sql.createUpdate(
                        "update secret set env_var = :variable, hosts = :hosts, comment = :comment, allow_plaintext = :plaintext, sealed_value = :sealed, value_version = :version, bytes = :bytes, updated_at = :updated where id = :id")
                .bind("id", secret.id())
                .bind("variable", secret.envVar())
                .bind("hosts", Json.text(secret.hosts()))
                .bind("comment", secret.comment())
                .bind("plaintext", secret.allowPlaintext())
                .bind("sealed", stored.sealed())
                .bind("version", stored.version())
                .bind("bytes", bytes(stored))
                .bind("updated", secret.updatedAt().toEpochMilli())
                .execute();
    }

    static List<StoredSecret> all(Handle handle, String organization) {
        return Statements.all(
                handle,
                "select * from secret where organization_id = ? order by created_at, id",
                SecretRows::stored,
                organization);
    }
}
