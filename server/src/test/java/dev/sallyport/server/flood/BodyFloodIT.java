package dev.sallyport.server.flood;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;

/** Bodies, answers that nobody takes, and messages of WebSockets. */
@Tag("long")
class BodyFloodIT extends FloodSuite {

    @Override
    List<Flood> places() {
        return Stream.of(Floods.bodies(), Floods.answers(), SocketFloods.all())
                .flatMap(List::stream)
                .toList();
    }
}
