package dev.sallyport.core.net;

import dev.sallyport.core.exchange.ConnectionInfo;
import dev.sallyport.core.exchange.Ended;
import dev.sallyport.core.exchange.Exchanges;
import dev.sallyport.core.exchange.Refusal;
import java.util.EnumMap;
import java.util.Map;

/**
 * Records of the streams that one connection was refused before they were requests, written as there are permits. What
 * waits is a number: a client that is refused for want of memory must not take more of it. On the connection's loop.
 */
final class LateRecords {

    /** Why a stream is refused. */
    enum Why {
        /** All connections together hold too much. */
        CROWDED_OUT,
        /** More at a time than the connection may have; a client may not know that yet. */
        TOO_MANY,
        /** It depends on itself (RFC 7540, 5.3.1). */
        CIRCULAR;

        private Ended ended() {
            return switch (this) {
                case CROWDED_OUT -> Ended.failed(HeadRules.crowdedOut());
                case TOO_MANY -> Ended.refused(HeadRules.tooManyStreams());
                case CIRCULAR -> Ended.refused(Refusal.badRequest("a stream depends on itself"));
            };
        }
    }

    private final Entry entry;
    private final Exchanges.Client client;
    private final Map<Why, Integer> owed = new EnumMap<>(Why.class);
    private boolean asked;

    LateRecords(Entry entry, ConnectionInfo info) {
        this.entry = entry;
        this.client = entry.client(info);
    }

    /** One more is due. */
    void add(Why why) {
        owed.merge(why, 1, Integer::sum);
        write();
    }

    private void permitted() {
        asked = false;
        write();
    }

    private void write() {
        for (Why why : Why.values()) {
            int due = owed.getOrDefault(why, 0);
            while (due > 0 && !asked) {
                Exchanges.Permit permit = client.tryPermit(entry.loop(), this::permitted);
                if (permit == null) {
                    asked = true;
                } else {
                    due--;
                    owed.put(why, due);
                    permit.record(why.ended());
                }
            }
        }
    }
}
