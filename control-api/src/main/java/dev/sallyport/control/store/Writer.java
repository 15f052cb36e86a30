package dev.sallyport.control.store;

/** Runs transactions that change something. Thread-safe. */
interface Writer extends AutoCloseable {

    /** Runs a transaction and returns once it is durable. Blocks. */
    <T> Written<T> write(Work<T> work);

    /** Whether it still runs transactions. */
    boolean isAlive();

    /** Ends after what was begun. */
    @Override
    void close();
}
