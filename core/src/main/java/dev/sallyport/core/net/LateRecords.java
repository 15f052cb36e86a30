package dev.sallyport.core.net;

import dev.sallyport.core.exchange.ConnectionInfo;
import dev.sallyport.core.exchange.Refusal;

/**
 * Records of what one connection was refused again and again, written as there are permits. What waits is a number: a
 * client that is refused for want of memory must not take more of it. On the connection's loop.
 */
final class LateRecords {

    private final Entry entry;
    private final ConnectionInfo info;
    private final Refusal refusal;
    private int owed;
    private boolean asked;

    LateRecords(Entry entry, ConnectionInfo info, Refusal refusal) {
        this.entry = entry;
        this.info = info;
        this.refusal = refusal;
    }

    /** One more is due. */
    void add() {
        owed++;
        write();
    }

    private void permitted() {
        asked = false;
        write();
    }

    private void write() {
        while (owed > 0 && !asked) {
            if (entry.exchanges().tryPermit(entry.loop(), this::permitted)) {
                owed--;
                entry.exchanges().recordOnly(info, null, refusal);
            } else {
                asked = true;
            }
        }
    }
}
