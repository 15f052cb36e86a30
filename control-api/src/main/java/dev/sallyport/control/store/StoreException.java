package dev.sallyport.control.store;

/** A database that cannot be used, in a sentence for the operator. Holds no password. */
public final class StoreException extends Exception {

    private static final long serialVersionUID = 1L;

    private final String expected;

    StoreException(String message, String expected) {
        super(message);
        this.expected = expected;
    }

    /** What was expected; may be empty. */
    public String expected() {
        return expected;
    }

    /** What brought a fault about in the end. */
    static Throwable root(Throwable fault) {
        Throwable root = fault;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }

    /** Its message, without what a driver adds below. */
    static String oneLine(Throwable fault) {
        return String.valueOf(fault.getMessage())
                .lines()
                .findFirst()
                .orElse(fault.getClass().getSimpleName());
    }
}
