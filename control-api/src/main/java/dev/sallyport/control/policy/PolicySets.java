package dev.sallyport.control.policy;

import dev.sallyport.control.model.Json;
import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.control.store.Statements;
import dev.sallyport.control.store.Store;
import jakarta.inject.Singleton;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads all active policies of an organization at once. Thread-safe; blocks. */
@Singleton
public final class PolicySets {

    private static final Logger LOG = LoggerFactory.getLogger(PolicySets.class);

    private final Store store;

    public PolicySets(Store store) {
        this.store = store;
    }

    private record Row(String id, String kind, String content, long version, Instant createdAt, Instant updatedAt) {

        static Row of(ResultSet row) throws SQLException {
            return new Row(
                    row.getString("id"),
                    row.getString("kind"),
                    row.getString("content"),
                    row.getLong("version"),
                    Instant.ofEpochMilli(row.getLong("created_at")),
                    Instant.ofEpochMilli(row.getLong("updated_at")));
        }

        <D extends PolicyDraft> Policy<D> as(Class<D> type) {
            return new Policy<>(id, Json.read(content, type), version, createdAt, updatedAt);
        }
    }

    /** The policies that proxies of the organization may get; see {@link Store#readAtOneMoment}. */
    @WithoutCaller("proxies get what their organization has, whoever asks")
    public static PolicySet of(Handle handle, String organization) {
        List<Row> rows = Statements.all(
                handle,
                "select id, kind, content, version, created_at, updated_at from policy where organization_id = ? and active = true order by priority, created_at, id",
                Row::of,
                organization);
        List<Policy<NetworkPolicyDraft>> network = new ArrayList<>();
        List<Policy<SecretPolicyDraft>> secrets = new ArrayList<>();
        List<Policy<McpPolicyDraft>> mcp = new ArrayList<>();
        List<String> broken = new ArrayList<>();
        for (Row row : rows) {
            try {
                if (row.kind().equals(PolicyKind.NETWORK.resource())) {
                    network.add(row.as(NetworkPolicyDraft.class));
                } else if (row.kind().equals(PolicyKind.SECRET.resource())) {
                    secrets.add(row.as(SecretPolicyDraft.class));
                } else if (row.kind().equals(PolicyKind.MCP.resource())) {
                    mcp.add(row.as(McpPolicyDraft.class));
                } else {
                    broken.add(row.id());
                }
            } catch (RuntimeException e) {
                LOG.error("policy {} cannot be read; its organization is refused everything", row.id(), e);
                broken.add(row.id());
            }
        }
        return new PolicySet(network, secrets, mcp, broken);
    }

    /** Whether there is an organization of this id. */
    @WithoutCaller("the proxy in the same process asks whose policies it gets")
    public boolean isOrganization(String id) {
        return store.read(handle -> handle.createQuery("select 1 from organization where id = :id")
                .bind("id", id)
                .mapTo(Integer.class)
                .findOne()
                .isPresent());
    }

    /** The organization that signed up first; empty before there is one, and the same ever after. */
    @WithoutCaller("the proxy in the same process asks whose policies it gets")
    public Optional<String> firstOrganization() {
        return store.read(handle -> handle.createQuery("select organization_id from first_account")
                .mapTo(String.class)
                .findOne());
    }
}
