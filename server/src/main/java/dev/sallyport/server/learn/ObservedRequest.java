package dev.sallyport.server.learn;

import dev.sallyport.spi.Destination;
import dev.sallyport.toolkit.match.Destinations;
import dev.sallyport.toolkit.match.InvalidHostException;
import dev.sallyport.toolkit.match.Paths;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request as rules see it.
 *
 * @param method in upper case; empty where only the host was seen
 * @param path as it was sent, without the query; empty where only the host was seen
 */
record ObservedRequest(Destination destination, String method, String path) implements Comparable<ObservedRequest> {

    private static final Comparator<ObservedRequest> ORDER = Comparator.comparing(
                    (ObservedRequest request) -> request.destination.host())
            .thenComparingInt(request -> request.destination.port())
            .thenComparing(request -> request.destination.secure())
            .thenComparing(ObservedRequest::path)
            .thenComparing(ObservedRequest::method);

    /** The destination of a record; null when it names none. */
    static @Nullable Destination destination(String host, int port, boolean secure) {
        try {
            return Destinations.parse(host, port, secure);
        } catch (InvalidHostException e) {
            return null;
        }
    }

    /** Whether only the host was seen. */
    boolean hostOnly() {
        return method.isEmpty();
    }

    /** Whether it names the whole server, as {@code OPTIONS *} does. */
    boolean pathless() {
        return !path.startsWith("/");
    }

    /** The path that rules are compared with. */
    String decoded() {
        return pathless() ? path : Paths.decode(path);
    }

    /** The segments of the decoded path. */
    List<String> segments() {
        return split(decoded());
    }

    /** The segments in the reading in which an encoded slash separates none: it is part of one. */
    List<String> literalSegments() {
        List<String> segments = new ArrayList<>();
        split(path).forEach(segment -> segments.add(Paths.decode(segment)));
        return segments;
    }

    boolean hasEncodedSlash() {
        return Paths.hasEncodedSlash(path);
    }

    private static List<String> split(String path) {
        return List.of(path.substring(1).split("/", -1));
    }

    @Override
    public int compareTo(ObservedRequest other) {
        return ORDER.compare(this, other);
    }

    /** For people; may hold anything that a workload sent. */
    @Override
    public String toString() {
        String place = destination.authority() + path;
        return hostOnly() ? place : method + " " + place;
    }
}
