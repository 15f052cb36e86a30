package dev.sallyport.server.run;

import java.util.List;

/**
 * What became of the UNIX sockets that lead outside.
 *
 * @param reachable those that the program can reach
 * @param unlocated those that are known, but by no path at which they could be masked
 */
record SocketReport(List<String> reachable, List<String> unlocated) {

    SocketReport {
        reachable = List.copyOf(reachable);
        unlocated = List.copyOf(unlocated);
    }
}
