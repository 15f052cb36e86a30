package dev.sallyport.core.net.http2;

import dev.sallyport.core.exchange.ConnectionInfo;
import dev.sallyport.core.exchange.EarlyTermination;
import dev.sallyport.core.exchange.Exchanges;
import dev.sallyport.core.exchange.Refusal;
import dev.sallyport.core.net.connection.ClientConnection;
import dev.sallyport.core.net.request.RequestHeadRules;
import java.util.EnumMap;
import java.util.Map;

/**
 * Writes the records of streams that were refused before they became requests, as permits become available. Only
 * counters are kept, so that refusing for lack of memory needs none. On the connection's loop.
 */
final class RefusedStreamRecorder {

    /** The reason for a refusal. */
    enum RefusalReason {
        /** The memory shared by all connections is used up. */
        CROWDED_OUT,
        /** The connection has too many streams; the client may not know the limit yet. */
        TOO_MANY,
        /** The stream depends on itself (RFC 7540, 5.3.1). */
        CIRCULAR;

        private EarlyTermination ended() {
            return switch (this) {
                case CROWDED_OUT -> EarlyTermination.failed(RequestHeadRules.crowdedOut());
                case TOO_MANY -> EarlyTermination.refused(RequestHeadRules.tooManyStreams());
                case CIRCULAR -> EarlyTermination.refused(Refusal.badRequest("a stream depends on itself"));
            };
        }
    }

    private final ClientConnection connection;
    private final Exchanges.Client client;
    private final Map<RefusalReason, Integer> owed = new EnumMap<>(RefusalReason.class);
    private boolean asked;

    RefusedStreamRecorder(ClientConnection connection, ConnectionInfo info) {
        this.connection = connection;
        this.client = connection.client(info);
    }

    /** Counts one more refusal. */
    void add(RefusalReason why) {
        owed.merge(why, 1, Integer::sum);
        write();
    }

    private void permitted() {
        asked = false;
        write();
    }

    private void write() {
        for (RefusalReason why : RefusalReason.values()) {
            int due = owed.getOrDefault(why, 0);
            while (due > 0 && !asked) {
                Exchanges.Permit permit = client.tryRecord(connection.loop(), this::permitted);
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
