package dev.sallyport.control.feed;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.control.crypto.Tokens;
import dev.sallyport.control.model.Json;
import dev.sallyport.control.proxy.Proxy;
import java.util.ArrayList;
import java.util.List;

/**
 * The text of a pipeline, put together piece by piece, so that one that becomes too long is given up before it is
 * there. Not thread-safe.
 */
final class PipelineText {

    private final int most;
    private final StringBuilder text = new StringBuilder();
    private final Origins origins = new Origins();
    private String list = "";
    private int elements;
    private boolean first = true;
    private final List<Proxy.Problem> unread = new ArrayList<>();

    /** @param most the characters that it may have */
    PipelineText(int most) {
        this.most = most;
    }

    /** Adds a piece of JSON as it is. */
    void add(String json) throws UncompilableException {
        if (json.length() > most - text.length()) {
            throw new UncompilableException(
                    "the policies make a pipeline that is too long (expected: at most " + most + " characters)");
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

    /** Begins an element of the list, whose pieces follow. */
    void separate() throws UncompilableException {
        if (!first) {
            add(",");
        }
        first = false;
        elements++;
    }

    /** A policy names a source that may not be read. */
    void unread(String policy, String source) {
        unread.add(
                new Proxy.Problem(
                        policy,
                        list + "/" + elements + "/source",
                        "the proxy of the installation does not read " + source
                                + " for this organization; requests that need it are refused (expected: a stored secret, or the source in control.policy_sources)"));
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
