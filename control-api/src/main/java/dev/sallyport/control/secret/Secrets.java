package dev.sallyport.control.secret;

import dev.sallyport.control.audit.AdminAudit;
import dev.sallyport.control.audit.Administered;
import dev.sallyport.control.crypto.Envelope;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Ids;
import dev.sallyport.control.model.Page;
import dev.sallyport.control.model.PageRequest;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.model.Versions;
import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.control.store.Listing;
import dev.sallyport.control.store.Quota;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.Transaction;
import dev.sallyport.control.store.Written;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The secrets of each account. Their values come in, and go out to proxies only. */
@Singleton
public final class Secrets {

    private static final String RESOURCE = "secret";
    private static final String PREFIX = "sec_";

    private static final Quota QUOTA = new Quota(RESOURCE, "secrets", 1000, 16 << 20);

    private final Store store;
    private final Ids ids;
    private final AdminAudit audit;
    private final Envelope envelope;
    private final Clock clock;

    public Secrets(Store store, Ids ids, AdminAudit audit, Envelope envelope, Clock clock) {
        this.store = store;
        this.ids = ids;
        this.audit = audit;
        this.envelope = envelope;
        this.clock = clock;
    }

    /** What orders the list. */
    public enum Sort {
        /** The time. */
        CREATED_AT("created_at"),
        /** The name, by code points. */
        NAME("name_key");

        private final String column;

        Sort(String column) {
            this.column = column;
        }

        /** The place of a secret in this order. */
        public PageRequest.Position position(Secret secret) {
            return switch (this) {
                case CREATED_AT -> new PageRequest.Position(secret.createdAt().toEpochMilli(), secret.id());
                case NAME -> new PageRequest.Position(secret.name(), secret.id());
            };
        }
    }

    /** What the administrative record shows. */
    private record State(
            String name,
            String envVar,
            List<String> hosts,
            @Nullable String comment,
            boolean allowPlaintext,
            long valueVersion) {

        static State of(Secret secret, long version) {
            return new State(
                    secret.name(), secret.envVar(), secret.hosts(), secret.comment(), secret.allowPlaintext(), version);
        }
    }

    /** The secrets of the account. */
    public Page<Secret> list(Caller caller, @Nullable String name, Sort sort, PageRequest page) {
        return store.read(handle ->
                new Listing(RESOURCE, caller).only("name", name).page(handle, sort.column, page, SecretRows::secret));
    }

    /** A secret; 404 when the account has none of this id. */
    public Secret get(Caller caller, String id) {
        return store.read(handle -> find(handle, caller, id, ""))
                .orElseThrow(Secrets::unknown)
                .secret();
    }

    /** Keeps a secret; 409 when the name or the variable is taken, or the quota used up. */
    public Written<Secret> create(Caller caller, SecretDraft draft) {
        String id = ids.next(PREFIX, clock.millis());
        byte[] sealed = seal(caller, id, draft.secret());
        return store.write(transaction -> {
            refuseTaken(transaction, caller, "name", draft.name(), id, "secret_name_taken");
            refuseTaken(transaction, caller, "env_var", draft.envVar(), id, "env_var_taken");
            Instant now = Instant.ofEpochMilli(transaction.now());
            Secret secret = new Secret(
                    id,
                    draft.name(),
                    draft.envVar(),
                    draft.places(),
                    Secret.placeholder(draft.name()),
                    draft.comment(),
                    Boolean.TRUE.equals(draft.allowPlaintext()),
                    now,
                    now);
            StoredSecret stored = new StoredSecret(secret, Versions.fresh(), sealed);
            QUOTA.refuseBeyond(transaction, caller, SecretRows.bytes(stored), "");
            SecretRows.insert(transaction.sql(), caller.organizationId(), stored);
            transaction
                    .sql()
                    .createUpdate("delete from deleted_secret where organization_id = :organization and name = :name")
                    .bind("organization", caller.organizationId())
                    .bind("name", draft.name())
                    .execute();
            transaction.environmentChanged(caller.organizationId());
            transaction.changed(caller.organizationId(), RESOURCE, id);
            audit.record(transaction, caller, Administered.created(RESOURCE, id, State.of(secret, stored.version())));
            return secret;
        });
    }

    /**
     * Changes a secret: 404, then 409 when the variable is taken, or the quota used up.
     *
     * @param takesCommentAway whether the comment goes
     */
    public Written<Secret> change(Caller caller, String id, SecretPatch patch, boolean takesCommentAway) {
        byte[] sealed = patch.secret() == null ? null : seal(caller, id, patch.secret());
        return store.write(transaction -> {
            StoredSecret before =
                    find(transaction.sql(), caller, id, transaction.rowLock()).orElseThrow(Secrets::unknown);
            Secret old = before.secret();
            String variable = patch.envVar() == null ? old.envVar() : patch.envVar();
            refuseTaken(transaction, caller, "env_var", variable, id, "env_var_taken");
            String comment = patch.comment() == null ? old.comment() : patch.comment();
            // Time may stand still, or go back.
            long now = Math.max(transaction.now(), old.updatedAt().toEpochMilli() + 1);
            Secret secret = new Secret(
                    id,
                    old.name(),
                    variable,
                    patch.hosts() == null ? old.hosts() : patch.hosts(),
                    old.proxyValue(),
                    takesCommentAway ? null : comment,
                    patch.allowPlaintext() == null ? old.allowPlaintext() : patch.allowPlaintext(),
                    old.createdAt(),
                    Instant.ofEpochMilli(now));
            StoredSecret after = sealed == null
                    ? new StoredSecret(secret, before.version(), before.sealed())
                    : new StoredSecret(secret, Versions.fresh(), sealed);
            QUOTA.refuseBeyond(transaction, caller, SecretRows.bytes(after), id);
            SecretRows.update(transaction.sql(), after);
            if (!variable.equals(old.envVar())) {
                transaction.environmentChanged(caller.organizationId());
            }
            transaction.changed(caller.organizationId(), RESOURCE, id);
            audit.record(
                    transaction,
                    caller,
                    Administered.updated(
                            RESOURCE, id, State.of(old, before.version()), State.of(secret, after.version())));
            return secret;
        });
    }

    /** A change that changes nothing: 404 when the account has no such secret. */
    public Written<Secret> unchanged(Caller caller, String id) {
        return store.readAtOneMoment(handle -> new Written<>(
                find(handle, caller, id, "").orElseThrow(Secrets::unknown).secret(), Store.position(handle), Set.of()));
    }

    /** Removes a secret: 404 when the account has none of this id. Its placeholder stays known, and is not replaced. */
    public Written<Secret> delete(Caller caller, String id) {
        return store.write(transaction -> {
            StoredSecret before =
                    find(transaction.sql(), caller, id, transaction.rowLock()).orElseThrow(Secrets::unknown);
            transaction.environmentChanged(caller.organizationId());
            transaction
                    .sql()
                    .createUpdate("delete from secret where id = :id")
                    .bind("id", id)
                    .execute();
            transaction
                    .sql()
                    .createUpdate(
                            "insert into deleted_secret (organization_id, name, deleted_at) values (:organization, :name, :now) on conflict do nothing")
                    .bind("organization", caller.organizationId())
                    .bind("name", before.secret().name())
                    .bind("now", transaction.now())
                    .execute();
            forgetOldest(transaction.sql(), caller);
            transaction.changed(caller.organizationId(), RESOURCE, id);
            audit.record(
                    transaction,
                    caller,
                    Administered.deleted(RESOURCE, id, State.of(before.secret(), before.version())));
            return before.secret();
        });
    }

    /** Names of deleted secrets count for no quota: the newest are kept. */
    private static void forgetOldest(Handle sql, Caller caller) {
        sql.createUpdate(
                        "delete from deleted_secret where organization_id = :organization and name in (select name from deleted_secret where organization_id = :organization order by deleted_at desc, name limit :most offset :most)")
                .bind("organization", caller.organizationId())
                .bind("most", SecretSet.MOST_DELETED)
                .execute();
    }

    private static void refuseTaken(
            Transaction transaction, Caller caller, String column, String value, String except, String code) {
        boolean taken = transaction
                .sql()
                .createQuery("select 1 from secret where organization_id = :organization and " + column
                        + " = :value and id <> :except")
                .bind("organization", caller.organizationId())
                .bind("value", value)
                .bind("except", except)
                .mapTo(Integer.class)
                .findOne()
                .isPresent();
        if (taken) {
            throw Refusal.conflict(code, "a secret with this " + column + " exists");
        }
    }

    /**
     * The value of a secret that an organization has, for its proxies. The caller clears it. It does not wait for a key that
     * is not here: this throws then, and may succeed later.
     */
    @WithoutCaller("proxies get what their organization has, whoever asks")
    public byte[] value(String organization, StoredSecret stored) {
        return envelope.openNow(
                stored.sealed(), organization, RESOURCE, stored.secret().id());
    }

    /** Forgets the placeholders of secrets that were deleted long ago. */
    @WithoutCaller("housekeeping")
    public void forget(Duration age) {
        store.deleteInPortions("deleted_secret", "organization_id, name", "deleted_at", age);
    }

    private byte[] seal(Caller caller, String id, String value) {
        return envelope.seal(value.getBytes(StandardCharsets.UTF_8), caller.organizationId(), RESOURCE, id);
    }

    private static Optional<StoredSecret> find(Handle handle, Caller caller, String id, String lock) {
        if (!Ids.isWellFormed(PREFIX, id)) {
            return Optional.empty();
        }
        return handle.createQuery("select * from secret where id = :id and organization_id = :organization" + lock)
                .bind("id", id)
                .bind("organization", caller.organizationId())
                .map((row, context) -> SecretRows.stored(row))
                .findOne();
    }

    private static Refusal unknown() {
        return Refusal.notFound("secret_not_found", "no such secret");
    }
}
