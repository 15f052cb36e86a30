package dev.sallyport.core.upstream;

import dev.sallyport.spi.Connector;
import java.io.IOException;
import java.net.Socket;

/** Connects with nothing. */
public final class Offline implements Connector {

    @Override
    public Route route(String host, int port, boolean secure) {
        return Route.DIRECT;
    }

    @Override
    public Socket connect(String host, int port, boolean secure) throws IOException {
        throw new IOException("no network");
    }
}
