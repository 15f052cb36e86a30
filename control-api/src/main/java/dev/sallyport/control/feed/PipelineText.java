package dev.sallyport.control.feed;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.control.crypto.Tokens;
import dev.sallyport.control.model.Json;
import dev.sallyport.control.model.JsonSize;
import dev.sallyport.control.proxy.Proxy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The text of a pipeline, put together piece by piece, so that one that becomes too long is given up before it is
 * there. Not thread-safe.
 */
final class PipelineText {

    private final int most;
    private final int mostNodes;
    private int nodes = 1;
    private final StringBuilder text = new StringBuilder();
    private final Origins origins = new Origins();
    private String list = "";
    private int elements;
    private boolean first = true;
    private final List<Proxy.Problem> unread = new ArrayList<>();
    private final Set<String> said = new HashSet<>();

    /**
     * An empty one.
     *
     * @param most the characters that it may have
     * @param mostNodes the values and keys
     */
    PipelineText(int most, int mostNodes) {
        this.most = most;
        this.mostNodes = mostNodes;
    }

    /** Adds a piece of JSON as it is. */
    void add(String json) throws UncompilableException {
        add(json, JsonSize.nodes(json));
    }

    private void add(String json, int added) throws UncompilableException {
        if (json.length() > most - text.length()) {
            throw new UncompilableException(
                    "the policies make a pipeline that is too long (expected: at most " + most + " characters)");
        }
        nodes += added;
        if (nodes > mostNodes) {
            throw new UncompilableException(
                    "the policies make a pipeline of too many values (expected: at most " + mostNodes + ")");
        }
        text.append(json);
    }

    /**
     * Begins a list whose elements come from policies.
     *
     * @param pointer of the list
     */
    void begin(String json, String pointer) throws UncompilableException {
        add(json + "[");
        list = pointer;
        elements = 0;
        first = true;
    }

    /** The elements that follow come from this policy; empty for none alone. */
    void from(String policy) {
        origins.from(list, elements, policy);
    }

    /** Adds an element of the list. */
    void element(ObjectNode element) throws UncompilableException {
        separate();
        add(Json.text(element));
    }

    /**
     * Adds an element of the list as it is.
     *
     * @param added how many values and keys it has beside its first; see {@link JsonSize}
     */
    void element(String json, int added) throws UncompilableException {
        separate();
        add(json, added);
    }

    /** Begins an element of the list, whose pieces follow. */
    void separate() throws UncompilableException {
        if (!first) {
            add(",");
        }
        first = false;
        elements++;
    }

    /**
     * A part of a policy is left out: what needs it is refused.
     *
     * @param below where it stands in the element that comes next
     */
    void unread(String policy, String below, String why) {
        if (said.add(policy + ": " + why)) { // a tool may stand in many servers
            unread.add(new Proxy.Problem(policy, list + "/" + elements + below, why));
        }
    }

    /** Ends the list. */
    void end(String json) throws UncompilableException {
        from("");
        add("]" + json);
    }

    Compiled compiled() {
        String json = text.toString();
        return new Compiled(json, Tokens.hash(json), origins, List.of(), unread);
    }
}
