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
 * Records of the streams that one connection was refused before they were requests, written as there are permits. Only
 * counters are kept, so that refusing for lack of memory takes none. On the connection's loop.
 */
final class RefusedStreamRecorder {

    /** Why a stream is refused. */
    enum RefusalReason {
        /** All connections together hold too much. */
        CROWDED_OUT,
        /** More at a time than the connection may have; a client may not know that yet. */
        TOO_MANY,
        /** It depends on itself (RFC 7540, 5.3.1). */
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

    /** One more is due. */
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
                Exchanges.Permit permit = client.tryPermit(connection.loop(), this::permitted);
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
