package dev.sallyport.core.net;

import dev.sallyport.core.exchange.ConnectionInfo;
import dev.sallyport.core.exchange.Ended;
import dev.sallyport.core.exchange.Exchanges;
import dev.sallyport.core.exchange.Refusal;

/**
 * Records of what one connection was refused again and again, written as there are permits. What waits is a number: a
 * client that is refused for want of memory must not take more of it. On the connection's loop.
 */
final class LateRecords {

    private final Entry entry;
    private final Exchanges.Client client;
    private final Refusal refusal;
    private int owed;
    private boolean asked;

    LateRecords(Entry entry, ConnectionInfo info, Refusal refusal) {
        this.entry = entry;
        this.client = entry.client(info);
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
            Exchanges.Permit permit = client.tryPermit(entry.loop(), this::permitted);
            if (permit == null) {
                asked = true;
            } else {
                owed--;
                permit.record(Ended.failed(refusal));
            }
        }
    }
}
