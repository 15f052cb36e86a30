package dev.sallyport.conformance.mcp;

import java.util.List;

/**
 * A request as it came over the wire.
 *
 * @param line the request line
 * @param headers the header lines, undivided
 * @param body without chunking, trailers left out
 */
record Seen(String line, List<String> headers, byte[] body) {

    String target() {
        String[] parts = line.split(" ", -1);
        return parts.length > 1 ? parts[1] : "";
    }

    /** The values of all lines of a name. */
    List<String> header(String name) {
        return headers.stream()
                .filter(header -> header.regionMatches(true, 0, name + ":", 0, name.length() + 1))
                .map(header -> header.substring(name.length() + 1).trim())
                .toList();
    }

    @Override
    public String toString() {
        return line + " " + headers + " " + body.length + " bytes";
    }
}
