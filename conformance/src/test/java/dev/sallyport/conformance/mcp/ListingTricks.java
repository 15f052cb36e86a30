package dev.sallyport.conformance.mcp;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Answers that hide a tool which is not listed. */
final class ListingTricks {

    private static final String TOOLS = "{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\"}},"
            + "{\"name\":\"wipe\",\"inputSchema\":{\"type\":\"object\"}}";
    static final String RESULT = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[" + TOOLS + "]}}";
    private static final String EVENTS = "Content-Type: text/event-stream\r\nConnection: close\r\n";
    private static final byte[] PLAIN = Wire.bytes(RESULT);

    private ListingTricks() {}

    private static Trick list(String name, byte[] answer) {
        return new Trick(name, "POST", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}", answer);
    }

    private static Trick list(String name, String type, byte[] body) {
        return list(name, Wire.answer(200, "Content-Type: " + type + "\r\n", body));
    }

    private static Trick list(String name, String type, String body) {
        return list(name, type, Wire.bytes(body));
    }

    private static Trick json(String name, String body) {
        return list(name, "application/json", body);
    }

    static byte[] events(String text) {
        return Wire.join(Wire.bytes("HTTP/1.1 200 OK\r\n" + EVENTS + "\r\n"), Wire.bytes(text));
    }

    private static Trick stream(String name, String text) {
        return list(name, events(text));
    }

    private static Trick coded(String name, String coding, byte[] body) {
        return list(
                name, Wire.answer(200, "Content-Type: application/json\r\nContent-Encoding: " + coding + "\r\n", body));
    }

    static final List<Trick> BODIES = List.of(
            json("plain", RESULT),
            json("duplicate tools", RESULT.replace("\"tools\":[", "\"tools\":[],\"tools\":[")),
            json("duplicate tools, harmless last", RESULT.replace("]}}", "],\"tools\":[]}}")),
            json("duplicate tools, escaped", RESULT.replace("\"tools\":[", "\"tools\":[],\"t\\u006fols\":[")),
            json("duplicate result", RESULT.replace("\"result\":", "\"result\":{},\"result\":")),
            json(
                    "escaped members",
                    RESULT.replace("\"tools\"", "\"\\u0074ools\"").replace("\"result\"", "\"r\\u0065sult\"")),
            json("Tools beside tools", RESULT.replace("\"tools\":[", "\"tools\":[],\"Tools\":[")),
            json("Tools alone", RESULT.replace("\"tools\":", "\"Tools\":")),
            json("Result alone", RESULT.replace("\"result\":", "\"Result\":")),
            json("tools with a long s", RESULT.replace("\"tools\":", "\"tool\u017f\":")),
            json("escaped tool", RESULT.replace("wipe", "w\\u0069pe")),
            json("duplicate name", RESULT.replace("\"name\":\"wipe\"", "\"name\":\"echo\",\"name\":\"wipe\"")),
            json(
                    "duplicate name, escaped",
                    RESULT.replace("\"name\":\"wipe\"", "\"n\\u0061me\":\"wipe\",\"name\":\"echo\"")),
            json("Name beside name", RESULT.replace("\"name\":\"wipe\"", "\"name\":\"echo\",\"Name\":\"wipe\"")),
            json("tool without a name", RESULT.replace("\"name\":\"wipe\"", "\"title\":\"wipe\"")),
            json("name as an array", RESULT.replace("\"name\":\"wipe\"", "\"name\":[\"wipe\"]")),
            json("name with a space", RESULT.replace("\"name\":\"wipe\"", "\"name\":\"wipe \"")),
            json(
                    "tools as an object",
                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":{\"0\":{\"name\":\"wipe\"}}}}"),
            json("tools within tools", RESULT.replace("[{", "[[{").replace("}]}}", "}]]}}")),
            json("different id", RESULT.replace("\"id\":1", "\"id\":99")),
            json("id as text", RESULT.replace("\"id\":1", "\"id\":\"1\"")),
            json("id as a fraction", RESULT.replace("\"id\":1", "\"id\":1.0")),
            json("id null", RESULT.replace("\"id\":1", "\"id\":null")),
            json("no id", RESULT.replace("\"id\":1,", "")),
            json("no jsonrpc", RESULT.replace("\"jsonrpc\":\"2.0\",", "")),
            json("batch of one", "[" + RESULT + "]"),
            json("batch within a batch", "[[" + RESULT + "]]"),
            json(
                    "response and request at once",
                    RESULT.replace("\"id\"", "\"method\":\"notifications/message\",\"id\"")),
            json("bytes behind", RESULT + " x"),
            json("second document", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[]}}\n" + RESULT),
            json("garbage before", ")]}'\n" + RESULT),
            json("comment", "/**/" + RESULT),
            json("single quotes", RESULT.replace('"', '\'')),
            json("breaks off", RESULT.substring(0, RESULT.length() - 1)),
            json("NaN", RESULT.replace("\"id\":1", "\"id\":1,\"x\":NaN")),
            json("byte order mark", "\ufeff" + RESULT),
            json("NUL before", "\0" + RESULT),
            json(
                    "huge",
                    RESULT.replace("\"result\":{", "\"result\":{\"_meta\":{\"x\":\"" + "x".repeat(6 << 20) + "\"},")),
            json(
                    "deep",
                    RESULT.replace(
                            "\"result\":{",
                            "\"result\":{\"_meta\":{\"x\":" + "[".repeat(5000) + "]".repeat(5000) + "},")));

    static final List<Trick> TYPES = List.of(
            list("error status", Wire.answer(500, "Content-Type: application/json\r\n", PLAIN)),
            list("created", Wire.answer(201, "Content-Type: application/json\r\n", PLAIN)),
            list("no type", Wire.answer(200, "", PLAIN)),
            list("text/plain", "text/plain", RESULT),
            list("HTML", "text/html", RESULT),
            list("octets", "application/octet-stream", RESULT),
            list("newline-delimited", "application/x-ndjson", RESULT + "\n"),
            list("JSON sequence", "application/json-seq", "\u001e" + RESULT + "\n"),
            list("two types", Wire.answer(200, "Content-Type: image/png\r\nContent-Type: application/json\r\n", PLAIN)),
            list("events called JSON", "application/json", "data: " + RESULT + "\n\n"),
            list("events in upper case", "Text/Event-Stream; charset=utf-8", "data: " + RESULT + "\n\n"),
            list("UTF-16LE", "application/json; charset=utf-16le", RESULT.getBytes(StandardCharsets.UTF_16LE)),
            list("UTF-16 with a mark", "application/json", RESULT.getBytes(StandardCharsets.UTF_16)),
            list("UTF-32", "application/json", RESULT.getBytes(Charset.forName("UTF-32BE"))),
            list("EBCDIC", "application/json; charset=ibm037", RESULT.getBytes(Charset.forName("IBM037"))),
            list(
                    "events in UTF-16",
                    "text/event-stream; charset=utf-16",
                    ("data: " + RESULT + "\n\n").getBytes(StandardCharsets.UTF_16)),
            coded("gzip", "gzip", CodingAttempts.gzip(PLAIN)),
            coded("x-gzip", "x-gzip", CodingAttempts.gzip(PLAIN)),
            coded("brotli", "br", CodingAttempts.brotli(PLAIN)),
            coded("gzip twice", "gzip, gzip", CodingAttempts.gzip(CodingAttempts.gzip(PLAIN))),
            coded("unknown coding", "aws-chunked", PLAIN),
            coded("bytes behind gzip", "gzip", Wire.join(CodingAttempts.gzip(Wire.bytes("{}")), PLAIN)),
            coded(
                    "two members of gzip",
                    "gzip",
                    Wire.join(CodingAttempts.gzip(Wire.bytes(" ")), CodingAttempts.gzip(PLAIN))),
            coded("gzip that is none", "gzip", PLAIN),
            list(
                    "gzip of events",
                    Wire.answer(
                            200,
                            "Content-Type: text/event-stream\r\nContent-Encoding: gzip\r\n",
                            CodingAttempts.gzip(Wire.bytes("data: " + RESULT + "\n\n")))),
            list(
                    "chunks of one byte",
                    Wire.join(
                            Wire.bytes(
                                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"),
                            Wire.chunked(PLAIN, 1))),
            list(
                    "events in chunks of one byte",
                    Wire.join(
                            Wire.bytes(
                                    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"),
                            Wire.chunked(Wire.bytes("event: message\ndata: " + RESULT + "\n\n"), 1))));

    static final List<Trick> STREAMS = List.of(
            stream("events", "event: message\ndata: " + RESULT + "\n\n"),
            stream("line ends CR", "event: message\rdata: " + RESULT + "\r\r"),
            stream("line ends CRLF", "event: message\r\ndata: " + RESULT + "\r\n\r\n"),
            stream("line ends mixed", "event: message\rdata: " + RESULT + "\n\r"),
            stream("mark at the start", "\ufeffdata: " + RESULT + "\n\n"),
            stream("two marks", "\ufeff\ufeffdata: {}\n\ndata: " + RESULT + "\n\n"),
            stream("no space", "data:" + RESULT + "\n\n"),
            stream("two spaces", "data:  " + RESULT + "\n\n"),
            stream("tab", "data:\t" + RESULT + "\n\n"),
            stream("many lines of data", "data: " + RESULT.replace(",", ",\ndata: ") + "\n\n"),
            stream(
                    "name broken over lines of data",
                    "data: " + RESULT.replace("\"wipe\"", "\ndata: \"wipe\"\ndata: ") + "\n\n"),
            stream(
                    "data around other fields",
                    "data: " + RESULT.substring(0, 40) + "\nid: 5\nretry: 1\n: x\ndata: " + RESULT.substring(40)
                            + "\n\n"),
            stream("empty lines of data", "data\ndata:\ndata: " + RESULT + "\ndata\n\n"),
            stream("other event type", "event: tools\ndata: " + RESULT + "\n\n"),
            stream("last event without its end", "data: " + RESULT + "\n"),
            stream("last event without a line end", "data: " + RESULT),
            stream("batch", "data: [" + RESULT + "]\n\n"),
            stream("escaped members", "data: " + RESULT.replace("tools", "t\\u006fols") + "\n\n"),
            stream("duplicate tools", "data: " + RESULT.replace("\"tools\":[", "\"tools\":[],\"tools\":[") + "\n\n"),
            stream("Tools alone", "data: " + RESULT.replace("\"tools\":", "\"Tools\":") + "\n\n"),
            stream("bytes behind", "data: " + RESULT + " x\n\n"),
            stream("breaks off", "data: " + RESULT.substring(0, RESULT.length() - 1) + "\n\n"),
            stream("different id", "data: " + RESULT.replace("\"id\":1", "\"id\":99") + "\n\n"),
            stream(
                    "second list",
                    "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[]}}\n\ndata: " + RESULT + "\n\n"),
            stream(
                    "huge event",
                    "data: " + RESULT.replace("\"result\":{", "\"result\":{\"x\":\"" + "x".repeat(6 << 20) + "\",")
                            + "\n\n"),
            stream("event of many empty lines of data", "data\n".repeat(200_000) + "data: " + RESULT + "\n\n"),
            stream("NUL in the field's name", "data\0: x\ndata: " + RESULT + "\n\n"));

    static final List<Trick> OTHER_EXCHANGES = List.of(
            new Trick("listener", "GET", "", events("id: 1\ndata: " + RESULT + "\n\n")),
            new Trick(
                    "listener, different id",
                    "GET",
                    "",
                    events("id: 1\ndata: " + RESULT.replace("\"id\":1", "\"id\":\"x\"") + "\n\n")),
            new Trick(
                    "listener, escaped",
                    "GET",
                    "",
                    events("data: " + RESULT.replace("\"tools\"", "\"too\\u006cs\"") + "\n\n")),
            new Trick("listener, JSON", "GET", "", Wire.json(RESULT)),
            new Trick("answer to a call, another id", "POST", EnvelopeAttempts.call("echo"), Wire.json(RESULT)),
            new Trick(
                    "answers to a call and to another's list",
                    "POST",
                    EnvelopeAttempts.call("echo"),
                    Wire.json("[{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[]}}," + RESULT + "]")),
            new Trick(
                    "answer to a call in a stream, another id",
                    "POST",
                    EnvelopeAttempts.call("echo"),
                    events("data: " + RESULT + "\n\n")),
            new Trick(
                    "answer to a notification",
                    "POST",
                    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
                    Wire.json(RESULT)),
            new Trick("answer to a form", "POST", "a=b", Wire.json(RESULT)));
}
