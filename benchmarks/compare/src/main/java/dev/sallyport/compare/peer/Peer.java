package dev.sallyport.compare.peer;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A proxy to compare, as its file describes it; see {@link PeerFile}.
 *
 * @param needs files or commands without which it is left out
 * @param install what to tell somebody who does not have them
 * @param version a command whose first line of output is the version; may be empty
 * @param environment more variables for its process
 * @param prepare commands to run before it
 * @param start the command that is the proxy; empty for no proxy at all
 * @param files what to write to its folder
 */
public record Peer(
        String name,
        String title,
        List<String> needs,
        String install,
        String version,
        Set<Ability> can,
        Map<String, String> environment,
        List<String> prepare,
        String start,
        Map<String, String> files) {

    public boolean direct() {
        return start.isEmpty();
    }
}
