package dev.sallyport.testsupport;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Sends exact bytes to a DNS server and parses its answers. Reads fail after {@link Patience#MILLIS} instead of hanging. */
public final class DnsClient {

    /** Different for each question. */
    private static final AtomicInteger IDS = new AtomicInteger(0x1234);

    private DnsClient() {}

    /** A query under construction. */
    public static final class Ask {

        private int id = IDS.incrementAndGet() & 0xFFFF;
        private int flags = 0x0100;
        private int qclass = 1;
        private int questions = 1;
        private byte[] additional = {};
        private int additionals;
        private byte[] tail = {};
        private final String name;
        private final int type;

        public Ask(String name, int type) {
            this.name = name;
            this.type = type;
        }

        public Ask edns(int payload) {
            return opt(payload, 0, 0);
        }

        public Ask opt(int payload, int version, int flags, byte... options) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            out.writeBytes(additional);
            out.write(0);
            put16(out, 41);
            put16(out, payload);
            out.write(0);
            out.write(version);
            put16(out, flags);
            put16(out, options.length);
            out.writeBytes(options);
            additional = out.toByteArray();
            additionals++;
            return this;
        }

        public Ask id(int newId) {
            id = newId;
            return this;
        }

        public Ask flags(int newFlags) {
            flags = newFlags;
            return this;
        }

        public Ask qclass(int newClass) {
            qclass = newClass;
            return this;
        }

        public Ask questions(int count) {
            questions = count;
            return this;
        }

        public Ask tail(byte... more) {
            tail = more;
            return this;
        }

        public byte[] bytes() {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            put16(out, id);
            put16(out, flags);
            put16(out, questions);
            put16(out, 0);
            put16(out, 0);
            put16(out, additionals);
            out.writeBytes(wire(name));
            put16(out, type);
            put16(out, qclass);
            out.writeBytes(additional);
            out.writeBytes(tail);
            return out.toByteArray();
        }
    }

    public static Ask ask(String name, String type) {
        return new Ask(name, Type.of(type));
    }

    /** A query for the IPv4 address of a name that no other number gives. */
    public static byte[] numbered(int number) {
        return ask("n" + number + ".example", "A").id(number & 0xFFFF).bytes();
    }

    public static byte[] wire(String name) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (String label : name.isEmpty() ? new String[0] : name.split("\\.", -1)) {
            out.write(label.length());
            out.writeBytes(label.getBytes(StandardCharsets.ISO_8859_1));
        }
        out.write(0);
        return out.toByteArray();
    }

    public static void put16(ByteArrayOutputStream out, int value) {
        out.write(value >> 8);
        out.write(value);
    }

    public static Message udp(InetSocketAddress server, byte[] query) throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.setSoTimeout(Patience.MILLIS);
            return udp(socket, server, query);
        }
    }

    public static Message udp(DatagramSocket socket, InetSocketAddress server, byte[] query) throws IOException {
        socket.send(new DatagramPacket(query, query.length, server));
        DatagramPacket packet = new DatagramPacket(new byte[65535], 65535);
        socket.receive(packet);
        return new Message(Arrays.copyOf(packet.getData(), packet.getLength()));
    }

    public static Message tcp(InetSocketAddress server, byte[] query) throws IOException {
        try (Tcp connection = new Tcp(server)) {
            return connection.send(query).receive();
        }
    }

    /** A TCP connection. */
    public static final class Tcp implements AutoCloseable {

        public final Socket socket;
        private final DataInputStream in;

        public Tcp(InetSocketAddress server) throws IOException {
            socket = new Socket(server.getAddress(), server.getPort());
            socket.setSoTimeout(Patience.MILLIS);
            in = new DataInputStream(socket.getInputStream());
        }

        public Tcp send(byte[]... queries) throws IOException {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            for (byte[] query : queries) {
                put16(out, query.length);
                out.writeBytes(query);
            }
            socket.getOutputStream().write(out.toByteArray());
            return this;
        }

        public Message receive() throws IOException {
            byte[] message = new byte[in.readUnsignedShort()];
            in.readFully(message);
            return new Message(message);
        }

        public int read() throws IOException {
            return in.read();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /** One record, its data as text where that is known. */
    public record Rr(String owner, String type, long ttl, String data) {

        @Override
        public String toString() {
            return owner + " " + ttl + " " + type + " " + data;
        }
    }

    /** An answer. */
    public static final class Message {

        public final byte[] bytes;
        public final List<Rr> answers = new ArrayList<>();
        public final List<Rr> authorities = new ArrayList<>();
        public final List<Rr> additionals = new ArrayList<>();
        public final String question;
        private int at = 12;

        public Message(byte[] bytes) {
            this.bytes = bytes;
            this.question = u16(4) == 0 ? "" : name() + " " + Type.name(next16()) + " " + next16();
            read(answers, u16(6));
            read(authorities, u16(8));
            read(additionals, u16(10));
            if (at != bytes.length) {
                throw new AssertionError("there is more than the message: " + (bytes.length - at));
            }
        }

        public int id() {
            return u16(0);
        }

        public int flags() {
            return u16(2);
        }

        public boolean has(int flag) {
            return (flags() & flag) != 0;
        }

        /** With the upper bits of OPT. */
        public int rcode() {
            int upper = 0;
            for (Rr record : additionals) {
                if (record.type.equals("OPT")) {
                    upper = (int) (record.ttl >> 24);
                }
            }
            return (upper << 4) | (flags() & 0xF);
        }

        /** The data of all answers, each with its type. */
        public List<String> data() {
            return answers.stream().map(rr -> rr.type + " " + rr.data).toList();
        }

        private void read(List<Rr> section, int count) {
            for (int i = 0; i < count; i++) {
                String owner = name();
                int type = next16();
                int qclass = next16();
                long ttl = (long) next16() << 16 | next16();
                int length = next16();
                int end = at + length;
                String data = data(type, end);
                section.add(new Rr(owner, Type.name(type), ttl, type == 41 ? "payload " + qclass : data));
                at = end;
            }
        }

        private String data(int type, int end) {
            if (type == 1) {
                return u8(at) + "." + u8(at + 1) + "." + u8(at + 2) + "." + u8(at + 3);
            }
            if (type == 5 || type == 12) {
                return name();
            }
            if (type == 15) {
                return next16() + " " + name();
            }
            if (type == 6) {
                return name() + " " + name() + " " + ((long) u16(end - 4) << 16 | u16(end - 2));
            }
            StringBuilder hex = new StringBuilder();
            for (int i = at; i < end; i++) {
                hex.append(String.format("%02x", u8(i)));
            }
            return hex.toString();
        }

        private String name() {
            StringBuilder name = new StringBuilder();
            int from = at;
            int after = -1;
            while (u8(from) != 0) {
                if (u8(from) >= 0xC0) {
                    after = after < 0 ? from + 2 : after;
                    from = u16(from) & 0x3FFF;
                } else {
                    name.append(new String(bytes, from + 1, u8(from), StandardCharsets.ISO_8859_1))
                            .append('.');
                    from += 1 + u8(from);
                }
            }
            at = after < 0 ? from + 1 : after;
            return name.isEmpty() ? "." : name.toString();
        }

        private int next16() {
            at += 2;
            return u16(at - 2);
        }

        private int u16(int from) {
            return u8(from) << 8 | u8(from + 1);
        }

        private int u8(int from) {
            return bytes[from] & 0xFF;
        }
    }

    /** Numbers of types. */
    public enum Type {
        A(1),
        NS(2),
        CNAME(5),
        SOA(6),
        PTR(12),
        MX(15),
        TXT(16),
        AAAA(28),
        SRV(33),
        NAPTR(35),
        OPT(41),
        DS(43),
        SVCB(64),
        HTTPS(65),
        IXFR(251),
        AXFR(252),
        ANY(255),
        CAA(257),
        TYPE65400(65400);

        private final int number;

        Type(int number) {
            this.number = number;
        }

        public static int of(String name) {
            return valueOf(name).number;
        }

        public static String name(int number) {
            for (Type type : values()) {
                if (type.number == number) {
                    return type.name();
                }
            }
            return "TYPE" + number;
        }
    }
}
