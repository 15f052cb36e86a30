package dev.sallyport.core.config;

import dev.sallyport.toolkit.match.InvalidPatternException;
import dev.sallyport.toolkit.match.IpRange;
import java.net.InetAddress;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The Java type to which a scalar is bound. */
enum ScalarKind implements BindingKind {
    TEXT("a string"),
    BOOLEAN("true or false"),
    INT("an integer"),
    LONG("an integer"),
    NUMBER("a number"),
    DURATION("a duration such as 30s, 1h30m or 250ms"),
    SIZE("a size in bytes such as 65536, 64KiB or 256MiB"),
    LISTEN("a listen address such as :8080, 127.0.0.1:8080 or [::1]:8080"),
    SERVER("an IP address with or without a port, such as 192.0.2.53 or [2001:db8::53]:5353"),
    ADDRESS("an IP address such as 192.0.2.1 or 2001:db8::1"),
    CIDR("a range such as 10.0.0.0/8 or 2001:db8::/32, or an address"),
    FILE("the path of a file"),
    PROXY_URL("the URL of a proxy such as http://proxy.example.com:3128 or socks5h://user:password@192.0.2.1:1080");

    /** Disables an optional listener. */
    static final String DISABLED = "disabled";

    /** Without leading zeros, which YAML 1.1 reads as octal, trailing zeros of a fraction, a plus sign, or an exponent. */
    private static final Pattern PLAIN_NUMBER = Pattern.compile("-?(?:0|[1-9][0-9]*)(?:\\.[0-9]*[1-9])?");

    private static final Pattern INTEGER = Pattern.compile("[-+]?(0|[1-9][0-9]*)");
    private static final Pattern NUMERIC = Pattern.compile("[-+]?[0-9]+(\\.[0-9]+)?([eE][-+]?[0-9]{1,3})?");

    private static final Map<Class<?>, ScalarKind> BY_TYPE = Map.ofEntries(
            Map.entry(String.class, TEXT),
            Map.entry(boolean.class, BOOLEAN),
            Map.entry(Boolean.class, BOOLEAN),
            Map.entry(int.class, INT),
            Map.entry(Integer.class, INT),
            Map.entry(long.class, LONG),
            Map.entry(Long.class, LONG),
            Map.entry(double.class, NUMBER),
            Map.entry(Double.class, NUMBER),
            Map.entry(Duration.class, DURATION),
            Map.entry(ByteSize.class, SIZE),
            Map.entry(ListenAddress.class, LISTEN),
            Map.entry(ServerAddress.class, SERVER),
            Map.entry(InetAddress.class, ADDRESS),
            Map.entry(IpRange.class, CIDR),
            Map.entry(Path.class, FILE),
            Map.entry(ProxyUrl.class, PROXY_URL));

    private final String expected;

    ScalarKind(String expected) {
        this.expected = expected;
    }

    static @Nullable ScalarKind of(Class<?> type) {
        return BY_TYPE.get(type);
    }

    @Override
    public String expected() {
        return expected;
    }

    /** Whether a scalar of this type may be parsed at all. */
    boolean accepts(ConfigNode.Type type) {
        return switch (this) {
            case BOOLEAN ->
                type == ConfigNode.Type.BOOLEAN || type == ConfigNode.Type.SWITCH || type == ConfigNode.Type.TEXT;
            case INT, LONG -> type == ConfigNode.Type.INTEGER || type == ConfigNode.Type.TEXT;
            case NUMBER ->
                type == ConfigNode.Type.INTEGER || type == ConfigNode.Type.FLOAT || type == ConfigNode.Type.TEXT;
            case DURATION, SIZE -> type == ConfigNode.Type.INTEGER || type.isString();
            case TEXT, LISTEN, SERVER, ADDRESS, CIDR, FILE, PROXY_URL -> type.isString();
        };
    }

    /**
     * Whether a scalar may be parsed: {@link #accepts(ConfigNode.Type)}, or it is a number where a string belongs, written
     * so that every reader of YAML makes the same text of it.
     */
    boolean accepts(ConfigNode.Scalar scalar) {
        if (this == TEXT && (scalar.type() == ConfigNode.Type.INTEGER || scalar.type() == ConfigNode.Type.FLOAT)) {
            return PLAIN_NUMBER.matcher(scalar.text()).matches();
        }
        return accepts(scalar.type());
    }

    /**
     * Parses a scalar.
     *
     * @param folder the base of relative paths
     * @throws BadValueException when it is malformed
     */
    Object parse(String text, Path folder) {
        return switch (this) {
            case TEXT -> text;
            case BOOLEAN -> bool(text);
            case INT -> Math.toIntExact(integer(text, Integer.MIN_VALUE, Integer.MAX_VALUE));
            case LONG -> integer(text, Long.MIN_VALUE, Long.MAX_VALUE);
            case NUMBER -> number(text);
            case DURATION -> Durations.parse(text);
            case SIZE -> ByteSize.parse(text);
            case LISTEN -> ListenAddress.parse(text);
            case SERVER -> ServerAddress.parse(text);
            case ADDRESS -> ServerAddress.literal(text, expected);
            case CIDR -> range(text);
            case FILE -> file(text, folder);
            case PROXY_URL -> ProxyUrl.parse(text);
        };
    }

    private boolean bool(String text) {
        return switch (text) {
            case "true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON" -> true;
            case "false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF" -> false;
            default -> throw new BadValueException("not a boolean", expected);
        };
    }

    private long integer(String text, long min, long max) {
        if (!INTEGER.matcher(text).matches()) {
            throw new BadValueException("not an integer", "a decimal integer without leading zeros");
        }
        try {
            long value = Long.parseLong(text);
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            // The number has more digits than a long.
        }
        throw new BadValueException("out of range", min + " to " + max);
    }

    private double number(String text) {
        if (!NUMERIC.matcher(text).matches()) {
            throw new BadValueException("not a number", expected);
        }
        double value = Double.parseDouble(text);
        if (Double.isInfinite(value)) {
            throw new BadValueException("out of range", expected);
        }
        return value;
    }

    private IpRange range(String text) {
        try {
            return IpRange.parse(text);
        } catch (InvalidPatternException e) {
            throw new BadValueException(e.reason(), e.expected());
        }
    }

    private Path file(String text, Path folder) {
        try {
            if (!text.isEmpty()) {
                return folder.resolve(text).normalize();
            }
        } catch (InvalidPathException e) {
            // Reported below.
        }
        throw new BadValueException("not a path", expected);
    }
}
