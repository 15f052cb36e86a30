package dev.sallyport.grpc;

import dev.sallyport.spi.Connector;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;

/** Connects with one server as the engine does, whatever address is asked for. Thread-safe. */
final class ConnectorSockets extends SocketFactory {

    private final ServerAddress server;
    private final Connector connector;

    ConnectorSockets(ServerAddress server, Connector connector) {
        this.server = server;
        this.connector = connector;
    }

    private Socket connect() throws IOException {
        try {
            return connector.connect(server.host(), server.port(), server.secure());
        } catch (IOException e) {
            throw new NoConnectionException(e);
        }
    }

    @Override
    public Socket createSocket(InetAddress address, int port) throws IOException {
        return connect();
    }

    @Override
    public Socket createSocket(InetAddress address, int port, InetAddress local, int localPort) throws IOException {
        return connect();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return connect();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) throws IOException {
        return connect();
    }
}
