package dev.sallyport.sandboxd.wire;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The members of an object, each of the type that is expected and none besides. */
public final class Members {

    private static final Pattern IPV4 = Pattern.compile("(\\d{1,3})\\.(\\d{1,3})\\.(\\d{1,3})\\.(\\d{1,3})");

    private final JsonNode object;

    private Members(JsonNode object) {
        this.object = object;
    }

    /**
     * Of an object.
     *
     * @param names the members that it must have
     * @throws WireException when it is none, or its members are others
     */
    public static Members of(JsonNode node, Set<String> names) throws WireException {
        if (!node.isObject()) {
            throw new WireException("this is no object (expected: one with " + names + ")");
        }
        for (Iterator<String> present = node.fieldNames(); present.hasNext(); ) {
            if (!names.contains(present.next())) {
                throw new WireException("unknown member (expected: " + names + ")");
            }
        }
        for (String name : names) {
            if (!node.has(name)) {
                throw new WireException("no member '" + name + "'");
            }
        }
        return new Members(node);
    }

    /** A member of any type. */
    public JsonNode node(String name) {
        return object.path(name);
    }

    /** A string. */
    public String text(String name) throws WireException {
        JsonNode value = object.path(name);
        if (!value.isTextual()) {
            throw new WireException("'" + name + "' is no string");
        }
        return value.textValue();
    }

    /** A whole number of 64 bits. */
    public long number(String name) throws WireException {
        JsonNode value = object.path(name);
        if (!value.isIntegralNumber() || !value.canConvertToLong()) {
            throw new WireException("'" + name + "' is no whole number");
        }
        return value.longValue();
    }

    /** A whole number of 32 bits. */
    public int small(String name) throws WireException {
        long value = number(name);
        if (value != (int) value) {
            throw new WireException("'" + name + "' is too large");
        }
        return (int) value;
    }

    /** An object of strings. */
    public Map<String, String> texts(String name) throws WireException {
        JsonNode value = object.path(name);
        if (!value.isObject()) {
            throw new WireException("'" + name + "' is no object");
        }
        Map<String, String> all = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> entry : value.properties()) {
            if (!entry.getValue().isTextual()) {
                throw new WireException("'" + name + "' has a value that is no string");
            }
            all.put(entry.getKey(), entry.getValue().textValue());
        }
        return all;
    }

    /** An IPv4 address. */
    public Inet4Address address(String name) throws WireException {
        return address(name, text(name));
    }

    /**
     * An IPv4 address out of text; never a name.
     *
     * @param name what it is, for the message
     */
    public static Inet4Address address(String name, String text) throws WireException {
        Matcher matcher = IPV4.matcher(text);
        byte[] bytes = new byte[4];
        boolean good = matcher.matches();
        for (int i = 0; good && i < bytes.length; i++) {
            int part = Integer.parseInt(matcher.group(i + 1));
            good = part < 256;
            bytes[i] = (byte) part;
        }
        if (!good) {
            throw new WireException("'" + name + "' is no IPv4 address");
        }
        try {
            return (Inet4Address) InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e); // four bytes are an address
        }
    }
}
