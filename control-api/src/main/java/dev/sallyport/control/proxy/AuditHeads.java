package dev.sallyport.control.proxy;

import dev.sallyport.control.crypto.Envelope;
import dev.sallyport.control.model.Caller;
import dev.sallyport.control.model.Refusal;
import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.control.store.Store;
import dev.sallyport.control.store.Transaction;
import dev.sallyport.core.audit.chain.Checkpoint;
import dev.sallyport.core.audit.chain.NoteException;
import dev.sallyport.core.audit.chain.NoteKey;
import dev.sallyport.core.audit.chain.SignedNote;
import jakarta.inject.Singleton;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.statement.Update;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the chains of proxies' audit records have got to. A checkpoint is cosigned when it has more records than the one
 * before of its origin, and the same key has signed it, not earlier. One that contradicts (fewer records, or as many of
 * another hash) is kept beside it, and then nothing of this chain is cosigned any more. A hash over lines proves no
 * consistency by itself: that those that came before are still the same is for {@code audit verify} to show, which has the
 * records. Thread-safe; blocks.
 */
@Singleton
public final class AuditHeads {

    private static final Logger LOG = LoggerFactory.getLogger(AuditHeads.class);

    /** Chains of a proxy: each has a key of its own, which it makes rarely. */
    private static final int MOST = 20;

    private static final String CONFLICT = "audit_head_conflict";

    private final Store store;
    private final Proxies proxies;
    private final SharedProxies shared;
    private final Cosigner cosigner;

    AuditHeads(Store store, Proxies proxies, SharedProxies shared, Cosigner cosigner) {
        this.store = store;
        this.proxies = proxies;
        this.shared = shared;
        this.cosigner = cosigner;
    }

    /** Those in a database that no control plane runs on. */
    @WithoutCaller("the operator does it")
    public static AuditHeads in(Store store, Envelope envelope, Proxies proxies, SharedProxies shared) {
        return new AuditHeads(store, proxies, shared, new Cosigner(store, envelope));
    }

    /** A checkpoint whose signature has been verified. */
    private record Signed(String note, NoteKey key, Checkpoint checkpoint) {

        static Signed of(AuditHeadDraft draft) {
            refuseControls("note", draft.note());
            refuseControls("key", draft.key());
            NoteKey key = key(draft.key());
            try {
                SignedNote note = SignedNote.parse(draft.note());
                Checkpoint checkpoint = Checkpoint.parse(note.text());
                if (!key.name().equals(checkpoint.origin())
                        || note.signatures() != 1
                        || !note.isSignedBy(List.of(key))) {
                    throw Refusal.invalid(
                            "note", "not signed with the key alone (expected: a checkpoint that its origin signed)");
                }
                return new Signed(draft.note(), key, checkpoint);
            } catch (NoteException e) {
                throw Refusal.invalid("note", String.valueOf(e.getMessage()));
            }
        }

        /** People print notes to their terminals. */
        private static void refuseControls(String field, String text) {
            boolean any = text.codePoints()
                    .filter(point -> point != '\n')
                    .anyMatch(point -> Character.isISOControl(point) || Character.getType(point) == Character.FORMAT);
            if (any) {
                throw Refusal.invalid(field, "control characters in it (expected: text and line feeds)");
            }
        }

        private static NoteKey key(String text) {
            try {
                return NoteKey.parse(text);
            } catch (NoteException e) {
                throw Refusal.invalid("key", String.valueOf(e.getMessage()));
            }
        }
    }

    /** What became of a checkpoint. */
    private enum Outcome {
        KEPT,
        /** It says nothing new: it came late. */
        PASSED_OVER,
        CONTRADICTS,
        /** One has before. */
        CONTRADICTS_AGAIN
    }

    /**
     * Keeps the checkpoint of a proxy; 409 when it contradicts what it has sent before, 422 when it is none.
     */
    @WithoutCaller("the proxy has shown its token")
    public void accept(ProxyIdentity proxy, AuditHeadDraft draft) {
        Signed signed = Signed.of(draft);
        String cosigned = cosigned(signed);
        Outcome outcome = store.write(transaction -> keep(transaction, proxy, signed, cosigned))
                .value();
        if (outcome == Outcome.CONTRADICTS) {
            LOG.error(
                    "the audit records of proxy {} were cut off or rewritten: its checkpoint at {} contradicts what it had sent before",
                    proxy.id(),
                    signed.checkpoint().size());
        }
        if (outcome == Outcome.CONTRADICTS || outcome == Outcome.CONTRADICTS_AGAIN) {
            throw Refusal.conflict(
                    CONFLICT, "not the same chain (expected: a checkpoint that goes on from the one before)");
        }
    }

    private String cosigned(Signed signed) {
        try {
            return cosigner.key().cosign(signed.note());
        } catch (NoteException e) {
            throw new IllegalStateException(e); // it has been parsed
        }
    }

    private static Outcome keep(Transaction transaction, ProxyIdentity proxy, Signed signed, String cosigned) {
        Optional<AuditHead> before =
                find(transaction, proxy, signed.checkpoint().origin());
        if (before.isEmpty()) {
            transaction.lockOrganization(proxy.organizationId()); // another may have been first until now
            before = find(transaction, proxy, signed.checkpoint().origin());
        }
        if (before.isEmpty()) {
            insert(transaction, proxy, signed, cosigned);
            return Outcome.KEPT;
        }
        Outcome outcome = outcome(before.get(), signed);
        switch (outcome) {
            case KEPT ->
                update(transaction, proxy, signed, "size = :size, note = :note, received_at = :now")
                        .bind("size", signed.checkpoint().size())
                        .bind("note", cosigned)
                        .execute();
            case CONTRADICTS ->
                update(transaction, proxy, signed, "contradiction = :note, contradicted_at = :now")
                        .bind("note", signed.note())
                        .execute();
            case PASSED_OVER, CONTRADICTS_AGAIN -> {}
        }
        return outcome;
    }

    private static Update update(Transaction transaction, ProxyIdentity proxy, Signed signed, String what) {
        return transaction
                .sql()
                .createUpdate("update audit_head set " + what + " where proxy_id = :proxy and origin = :origin")
                .bind("now", transaction.now())
                .bind("proxy", proxy.id())
                .bind("origin", signed.checkpoint().origin());
    }

    private static Outcome outcome(AuditHead before, Signed signed) {
        if (before.contradiction() != null) {
            return Outcome.CONTRADICTS_AGAIN;
        }
        Checkpoint now = signed.checkpoint();
        boolean earlier = isEarlier(now.time(), before.signedAt());
        if (before.key().equals(signed.key().toString())) {
            if (now.size() > before.size() && !earlier) {
                return Outcome.KEPT;
            }
            boolean same = now.size() == before.size()
                    && Arrays.equals(now.hash(), checkpoint(before.note()).hash());
            if (same || (now.size() < before.size() && earlier)) {
                return Outcome.PASSED_OVER;
            }
        }
        return Outcome.CONTRADICTS;
    }

    private static boolean isEarlier(@Nullable Instant one, @Nullable Instant other) {
        return one != null && other != null && one.isBefore(other);
    }

    private static Checkpoint checkpoint(String note) {
        try {
            return Checkpoint.parse(SignedNote.parse(note).text());
        } catch (NoteException e) {
            throw new IllegalStateException(e); // it was parsed before it was kept
        }
    }

    private static Optional<AuditHead> find(Transaction transaction, ProxyIdentity proxy, String origin) {
        return transaction
                .sql()
                .createQuery(
                        "select * from audit_head where proxy_id = :proxy and origin = :origin" + transaction.rowLock())
                .bind("proxy", proxy.id())
                .bind("origin", origin)
                .map((row, context) -> head(row, ""))
                .findOne();
    }

    private static void insert(Transaction transaction, ProxyIdentity proxy, Signed signed, String cosigned) {
        int present = transaction
                .sql()
                .createQuery("select count(*) from audit_head where proxy_id = :proxy")
                .bind("proxy", proxy.id())
                .mapTo(Integer.class)
                .one();
        if (present >= MOST) {
            throw Refusal.quotaExceeded(MOST + " chains of this proxy are known (expected: no more)");
        }
        transaction
                .sql()
                .createUpdate(
                        "insert into audit_head (proxy_id, origin, size, note, signer, received_at) values (:proxy, :origin, :size, :note, :signer, :now)")
                .bind("proxy", proxy.id())
                .bind("origin", signed.checkpoint().origin())
                .bind("size", signed.checkpoint().size())
                .bind("note", cosigned)
                .bind("signer", signed.key().toString())
                .bind("now", transaction.now())
                .execute();
    }

    /** The chains of a proxy, the one that was heard of last first; 404 when the organization has no such proxy. */
    public List<AuditHead> list(Caller caller, String proxy) {
        proxies.get(caller, proxy);
        return list(proxy);
    }

    /** As {@link #list}, of a proxy that all accounts share, by its name; 404 when there is none. */
    @WithoutCaller("the operator does it")
    public List<AuditHead> ofShared(String name) {
        return list(shared.get(name).id());
    }

    private List<AuditHead> list(String proxy) {
        String key = cosigner.key().publicKey().toString();
        return store.read(handle -> handle.createQuery(
                        "select * from audit_head where proxy_id = :proxy order by received_at desc, origin")
                .bind("proxy", proxy)
                .map((row, context) -> head(row, key))
                .list());
    }

    private static AuditHead head(ResultSet row, String cosigner) throws SQLException {
        String note = row.getString("note");
        String contradiction = row.getString("contradiction");
        return new AuditHead(
                row.getString("origin"),
                row.getLong("size"),
                checkpoint(note).time(),
                note,
                row.getString("signer"),
                cosigner,
                Instant.ofEpochMilli(row.getLong("received_at")),
                contradiction == null
                        ? null
                        : new AuditHead.Contradiction(
                                contradiction, Instant.ofEpochMilli(row.getLong("contradicted_at"))));
    }
}
