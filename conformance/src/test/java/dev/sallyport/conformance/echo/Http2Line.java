package dev.sallyport.conformance.echo;

import dev.sallyport.testsupport.Http2Message;
import dev.sallyport.testsupport.Http2Peer;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.EOFException;
import java.io.IOException;

/** One end of an HTTP/2 connection that carries one exchange after the other. */
final class Http2Line {

    /** How what is heard ends where the stream does not. */
    static final String BROKEN_OFF = "(broken off)";

    private final Http2Peer peer;
    /** A client's first one; a server's is what the client has chosen. */
    private int stream = 1;

    private String content = "";

    private Http2Line(Http2Peer peer) {
        this.peer = peer;
    }

    static Http2Line client(Line line) throws IOException {
        return new Http2Line(Http2Peer.connect(line.wire()));
    }

    static Http2Line server(Line line) throws IOException {
        return new Http2Line(Http2Peer.accept(line.wire()));
    }

    /** Sends a field section: name, value, name, value... */
    void fields(boolean end, String... lines) throws IOException {
        peer.headers(stream, end, lines);
    }

    void data(boolean end, String latin1) throws IOException {
        peer.data(stream, end, latin1);
    }

    /** Hears the stream to its end, be it that it is broken off: field sections, and then the content. */
    String hear() throws IOException {
        Http2Message message = peer.message();
        boolean gone = !message.ended() && message.reset() == null;
        if (gone) {
            throw new EOFException("closed after: " + message.body());
        }
        stream = message.stream() == 0 ? stream : message.stream();
        content = message.body();
        StringBuilder heard = new StringBuilder();
        for (Http2Headers section : message.sections()) {
            Http2Peer.lines(section).forEach(line -> heard.append(line).append("\r\n"));
            heard.append("\r\n");
        }
        return heard.append(content).append(message.ended() ? "" : BROKEN_OFF).toString();
    }

    /** The content of what was heard last. */
    String content() {
        return content;
    }
}
