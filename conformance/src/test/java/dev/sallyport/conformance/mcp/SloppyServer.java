package dev.sallyport.conformance.mcp;

import java.util.List;

/** A server of tools that obeys any reading of what it is sent. */
final class SloppyServer extends RawServer {

    static final String OBEYED = "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[]}}";

    SloppyServer() {
        super(request -> Wire.json(OBEYED));
    }

    /** The requests in which it read what is forbidden. */
    List<Seen> executed() {
        return seen().stream().filter(LenientReader::forbidden).toList();
    }
}
