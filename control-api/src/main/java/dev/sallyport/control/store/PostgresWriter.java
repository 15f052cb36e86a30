package dev.sallyport.control.store;

import java.time.Clock;
import org.jdbi.v3.core.Jdbi;

/** A transaction for each piece of work, on the thread of the caller, tried again after a conflict. */
final class PostgresWriter implements Writer {

    private static final int ATTEMPTS = 5;

    private final Jdbi jdbi;
    private final Clock clock;
    private final StoreMeters meters;

    PostgresWriter(Jdbi jdbi, Clock clock, StoreMeters meters) {
        this.jdbi = jdbi;
        this.clock = clock;
        this.meters = meters;
    }

    @Override
    public <T> Written<T> write(Work<T> work) {
        for (int attempt = 1; ; attempt++) {
            try {
                long began = System.nanoTime();
                Written<T> written = jdbi.inTransaction(handle -> {
                    Transaction transaction = new Transaction(handle, Dialect.POSTGRESQL, clock.millis());
                    T value = work.in(transaction);
                    return new Written<>(value, transaction.number(), transaction.kinds());
                });
                meters.committed(began, 1);
                return written;
            } catch (RuntimeException e) {
                if (attempt == ATTEMPTS || !Dialect.POSTGRESQL.retries(e)) {
                    throw e;
                }
                meters.repeated();
            }
        }
    }

    @Override
    public boolean isAlive() {
        return true;
    }

    @Override
    public void close() {}
}
