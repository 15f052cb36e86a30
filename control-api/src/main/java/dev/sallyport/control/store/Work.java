package dev.sallyport.control.store;

/**
 * A transaction: statements only, short, and repeatable, because it may run again after a conflict. An exception rolls
 * it back.
 */
@FunctionalInterface
public interface Work<T> {

    /** Runs the statements. */
    T in(Transaction transaction);
}
