package dev.sallyport.conformance.mcp;

import static dev.sallyport.conformance.mcp.ListingTricks.events;

import java.util.List;

/** Answers in which there is nothing to hide, however much they look like it. */
final class HarmlessAnswers {

    private static final String CALLED =
            "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"tools: wipe\"}]}}";

    static final List<Trick> ALL = List.of(
            new Trick("answer that speaks of tools", "POST", EnvelopeAttempts.call("echo"), Wire.json(CALLED)),
            new Trick(
                    "answer in a stream",
                    "POST",
                    EnvelopeAttempts.call("echo"),
                    events(
                            ": ping\r\n\r\nretry: 100\r\rid: 1\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":1,\"progress\":1}}\n\n"
                                    + "event: message\r\ndata: " + CALLED + "\r\n\r\n")),
            new Trick(
                    "stream with a mark and unknown fields",
                    "GET",
                    "",
                    events(
                            "\ufeff: hello\nfoo: bar\n\ndata\n\nid: 3\nid: 4\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"sampling/createMessage\",\"params\":{\"tools\":[{\"name\":\"wipe\"}]}}\n\n")),
            new Trick("stream that breaks off", "GET", "", events("data: {\"jsonrpc\":\"2.0\",")),
            new Trick(
                    "list of what is allowed",
                    "POST",
                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}",
                    Wire.json(
                            "{ \"jsonrpc\" : \"2.0\", \"id\":1, \"result\":{\"nextCursor\":\"wipe\", \"tools\":[ {\"name\":\"echo\",\"description\":\"wipe\"} ]} }\n")),
            new Trick(
                    "error",
                    "POST",
                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}",
                    Wire.json("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"tools\"}}")),
            new Trick(
                    "HTML of an error",
                    "POST",
                    EnvelopeAttempts.call("echo"),
                    Wire.answer(502, "Content-Type: text/html\r\n", Wire.bytes("<html>{tools}</html>"))),
            new Trick(
                    "nothing",
                    "POST",
                    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
                    Wire.answer(202, "", new byte[0])),
            new Trick("a file", "GET", "", Wire.answer(200, "Content-Type: image/png\r\n", new byte[] {
                (byte) 0x89, 'P', 0, 1
            })));

    private HarmlessAnswers() {}
}
