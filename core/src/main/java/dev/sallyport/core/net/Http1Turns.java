package dev.sallyport.core.net;

import dev.sallyport.core.exchange.Gone;
import dev.sallyport.core.net.StallWatch.Turn;

/** Whose turn it is on an HTTP/1.1 connection, and what becomes of a client that misses its own. */
final class Http1Turns implements StallWatch.Client {

    private final Http1Connection connection;

    Http1Turns(Http1Connection connection) {
        this.connection = connection;
    }

    @Override
    public Turn turn() {
        Http1Exchange current = connection.exchange();
        if (current == null) {
            return Turn.NOT_ITS;
        } else if (!connection.channel().isWritable()) {
            return Turn.READ;
        } else if (connection.isInputEnded()) {
            return Turn.HALF_CLOSED;
        } else if (current.isRequestComplete() || !connection.wantsMore()) {
            return Turn.NOT_ITS;
        }
        return current.isAnswered() ? Turn.SEND_ON : Turn.SEND;
    }

    @Override
    public long progress(Turn turn) {
        return switch (turn) {
            case READ -> connection.channel().bytesBeforeWritable();
            case SEND, SEND_ON -> connection.received();
            case HALF_CLOSED -> connection.written();
            case NOT_ITS -> 0;
        };
    }

    @Override
    public void stalled(Turn turn) {
        Http1Exchange current = connection.exchange();
        if (current != null && (turn == Turn.SEND || turn == Turn.SEND_ON)) {
            connection.discardInput();
            current.broken(StallWatch.STALLED);
        } else {
            connection.giveUp(turn == Turn.HALF_CLOSED ? Gone.HALF_CLOSED : Gone.UNREAD);
        }
    }
}
