package dev.sallyport.core.pipeline;

import dev.sallyport.spi.Connection;
import dev.sallyport.spi.Destination;
import dev.sallyport.spi.Visibility;
import io.netty.channel.EventLoop;

/**
 * What is known of an exchange before it is judged, and does not change.
 *
 * @param loop the exchange's loop
 * @param connection the client's connection
 * @param client who is counted: exchanges of one client have the same object, and share what there is for all
 * @param visibility how much of the traffic can be seen
 */
public record ExchangeFacts(
        EventLoop loop,
        String exchangeId,
        Connection connection,
        Object client,
        Destination destination,
        Visibility visibility) {

    /** The same of another caller. */
    public ExchangeFacts with(Connection caller) {
        return new ExchangeFacts(loop, exchangeId, caller, client, destination, visibility);
    }
}
