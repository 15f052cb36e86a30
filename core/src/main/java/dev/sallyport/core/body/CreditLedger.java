package dev.sallyport.core.body;

/** Counts input for which credit has not been returned yet. */
final class CreditLedger {

    private final Credit credit;
    private long owed;

    CreditLedger(Credit credit) {
        this.credit = credit;
    }

    void owe(int bytes) {
        owed += bytes;
    }

    /** Returns all credit that is owed; the sender may deliver more during the call. */
    void settle() {
        while (owed > 0) {
            int bytes = (int) Math.min(owed, Integer.MAX_VALUE);
            owed -= bytes;
            credit.consumed(bytes);
        }
    }
}
