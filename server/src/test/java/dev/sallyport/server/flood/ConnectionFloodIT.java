package dev.sallyport.server.flood;

import java.util.List;
import java.util.stream.Stream;

/** Connections, handshakes, tunnels, questions for names, and streams of HTTP/2. */
class ConnectionFloodIT extends FloodSuite {

    @Override
    List<Flood> places() {
        return Stream.of(Floods.connections(), Http2Floods.all())
                .flatMap(List::stream)
                .toList();
    }
}
