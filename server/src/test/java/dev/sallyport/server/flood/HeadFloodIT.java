package dev.sallyport.server.flood;

import java.util.List;
import java.util.stream.Stream;

/** What asks for little and makes much of it, heads, and what is kept by name and by address. */
class HeadFloodIT extends FloodSuite {

    @Override
    List<Flood> places() {
        return Stream.of(Floods.amplified(), Floods.heads(), CrowdFloods.all())
                .flatMap(List::stream)
                .toList();
    }
}
