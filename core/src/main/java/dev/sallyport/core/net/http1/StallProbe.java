package dev.sallyport.core.net.http1;

import dev.sallyport.core.exchange.DisconnectReason;
import dev.sallyport.core.net.connection.StallDetector;
import dev.sallyport.core.net.connection.StallDetector.Turn;

/** Tells which side must act next on an HTTP/1.1 connection, and ends a client that stalls. */
final class StallProbe implements StallDetector.Client {

    private final ClientHttp1Connection connection;

    StallProbe(ClientHttp1Connection connection) {
        this.connection = connection;
    }

    @Override
    public Turn turn() {
        ClientHttp1Exchange current = connection.exchange();
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
        ClientHttp1Exchange current = connection.exchange();
        if (current != null && (turn == Turn.SEND || turn == Turn.SEND_ON)) {
            connection.discardInput();
            current.broken(StallDetector.STALLED);
        } else {
            connection.giveUp(turn == Turn.HALF_CLOSED ? DisconnectReason.HALF_CLOSED : DisconnectReason.UNREAD);
        }
    }
}
