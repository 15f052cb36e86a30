package dev.sallyport.control.proxy;

import dev.sallyport.control.crypto.Envelope;
import dev.sallyport.control.model.WithoutCaller;
import dev.sallyport.control.store.Store;
import dev.sallyport.core.audit.chain.AuditKey;
import dev.sallyport.core.audit.chain.NoteException;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The key with which checkpoints are cosigned: of all processes that share a database, made when it is first needed. */
@Singleton
final class Cosigner {

    private static final String TABLE = "cosigner";
    private static final String ROW = "cosigner";
    private static final String SERVICE = "sallyport-control";

    private final Store store;
    private final Envelope envelope;
    private volatile @Nullable AuditKey known;

    Cosigner(Store store, Envelope envelope) {
        this.store = store;
        this.envelope = envelope;
    }

    /** The key. Blocks. */
    @WithoutCaller("it is that of the installation")
    AuditKey key() {
        AuditKey present = known;
        if (present == null) {
            present = sealed().map(this::open).orElseGet(this::made);
            known = present;
        }
        return present;
    }

    private Optional<byte[]> sealed() {
        return store.read(handle -> handle.createQuery("select sealed_key from cosigner where id = :id")
                .bind("id", ROW)
                .mapTo(byte[].class)
                .findOne());
    }

    private AuditKey open(byte[] sealed) {
        try {
            return AuditKey.parse(new String(envelope.open(sealed, "", TABLE, ROW), StandardCharsets.UTF_8));
        } catch (NoteException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Another process may be faster. */
    private AuditKey made() {
        String text = AuditKey.generate(SERVICE).secretText();
        byte[] sealed = envelope.seal(text.getBytes(StandardCharsets.UTF_8), "", TABLE, ROW);
        store.write(transaction -> transaction
                .sql()
                .createUpdate("insert into cosigner (id, sealed_key) values (:id, :sealed) on conflict do nothing")
                .bind("id", ROW)
                .bind("sealed", sealed)
                .execute());
        return sealed().map(this::open).orElseThrow();
    }
}
